"""How many of the dead letters that match are meant: so many, a part of a hundred, or all."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Share:
    """The oldest so many, or that part of them; all if neither is given. Raises ValueError."""

    count: int | None = None
    percent: int | None = None

    def __post_init__(self) -> None:
        if self.count is not None and self.percent is not None:
            raise ValueError("Give a count or a percentage of the dead letters, not both.")
        if self.count is not None and self.count < 1:
            raise ValueError(f"{self.count} dead letters cannot be meant; give 1 or more.")
        if self.percent is not None and not 1 <= self.percent <= 100:
            raise ValueError(f"{self.percent} % of the dead letters cannot be meant; give 1 to 100.")

    def of(self, total: int) -> int:
        """How many of so many: never more than a percentage asks for, but one, if there is one."""
        if self.count is not None:
            return min(self.count, total)
        if self.percent is None:
            return total
        return min(total, max(1, total * self.percent // 100))


ALL = Share()
