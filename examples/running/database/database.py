"""What both databases offer. SQL is written once, with `?` for values, in words that both understand."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeAlias

Row: TypeAlias = tuple[Any, ...]

#: Seconds that one statement may take, waiting for others included.
PATIENCE = 10.0


class DatabaseAway(Exception):
    """The database cannot be reached, or is too busy; try again."""


class Desk(Protocol):
    """An open transaction."""

    @property
    def connection(self) -> Any:
        """What `ctx.commit_with` takes."""

    async def do(self, sql: str, *values: object) -> Sequence[Row]:
        """Carry out one statement; what it returns."""


class Database(Protocol):
    """Used from one event loop; raises DatabaseAway."""

    async def open(self) -> None:
        """Have the tables, and what is in them at first."""

    async def close(self) -> None:
        """Once."""

    def transaction(self) -> AbstractAsyncContextManager[Desk]:
        """All of the block or, if it raises, nothing of it."""

    async def read(self, sql: str, *values: object) -> Sequence[Row]:
        """Look at what is committed."""


#: Has all tables; is given how this database says that it numbers rows itself. It must bear to be called again.
MakeTables: TypeAlias = Callable[[Desk, str], Awaitable[None]]
