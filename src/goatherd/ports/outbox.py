"""Jobs that users write down in their own transactions, to be sent if and only if these are committed."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Protocol, TypeAlias

from goatherd.model.outbox import OutboxJob, OutboxRow
from goatherd.model.statement import Statement

#: Sends rows in their order and tells the places of those that need not be sent again.
SendRows: TypeAlias = Callable[[Sequence[OutboxRow]], Awaitable[Collection[int]]]


class Outbox(Protocol):
    """Keeps the jobs of one app until they are sent; every adapter passes `goatherd.testing.suites.OutboxSuite`.

    Used from one event loop, but for `statement`, which any thread may call. Methods have a deadline and raise
    `Unavailable`. What a relay dies with is sent by another: at least once, under the same id.
    """

    def statement(self, jobs: Sequence[OutboxJob]) -> Statement:
        """Writes jobs down, in order, inside a transaction of the user's own.

        Gives one row with their number; or with 0, having written none, on a database which is another.
        """

    async def relay(self, limit: int, send: SendRows) -> int:
        """Let some that need no order be sent, oldest first, and forget what was; returns how many were tried.

        Nobody else gets them meanwhile. Those that were not sent are tried again after a while, a longer one each time,
        and are not in the way of others.
        """

    async def relay_lanes(self, limit: int, send: SendRows) -> int:
        """The same for jobs of lanes: all that there are of some lanes, in order, and of these nobody else has any.

        What was not sent stays where it is, before all that came after it.
        """

    async def look(self) -> tuple[bool, bool]:
        """Whether there is something to send that needs no order, and whether there is something of lanes."""

    async def waiting(self) -> int:
        """How many are there, as far as they are committed."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
