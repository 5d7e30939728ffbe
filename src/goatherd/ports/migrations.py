"""The schema of a database, which grows with the versions of this program."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.migration import Migration


class Migrations(Protocol):
    """What one database needs to have for this version.

    Methods raise `SettingsError` if the database is that of a newer version, or does not let this user in, and
    `Unavailable` if it is away.
    """

    @property
    def database(self) -> str:
        """Its address, without a password."""

    @property
    def newest(self) -> int:
        """The number of the last step that this version knows."""

    async def missing(self) -> Sequence[Migration]:
        """Steps that the database has not seen yet, in order."""

    async def apply(self) -> Sequence[Migration]:
        """Make all of them, or none; tells which they were. Two who do it at once take turns."""

    def script(self, those: Sequence[Migration]) -> str:
        """The same in SQL, for people to run themselves."""
