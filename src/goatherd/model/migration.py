"""A step of a database towards the schema of this version."""

import msgspec


class Migration(msgspec.Struct, frozen=True, kw_only=True):
    """One numbered file of SQL."""

    number: int
    name: str
    script: str

    def __str__(self) -> str:
        return f"{self.number:04} {self.name}"
