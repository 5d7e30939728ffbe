"""The hold queues of an app: made when they are needed or, where this process makes nothing, there beforehand."""

import asyncio

from goatherd.adapters.rabbitmq.delays import COARSE, FINE
from goatherd.adapters.rabbitmq.inspection import check_queues
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import Declare, Declarer, QueueType, hold_arguments


class Holds:
    """Knows which are there."""

    def __init__(self, link: Link, names: Names, declare: Declare, queue_type: QueueType) -> None:
        self._link = link
        self._names = names
        self._declare = declare
        self._queue_type = queue_type
        # Nobody makes more than a hundred queues beforehand because some delay might be as long.
        self._grid = FINE if declare == "create" else COARSE
        self._there: set[int] = set()
        self._making = asyncio.Lock()

    def step_for(self, milliseconds: float, *, held_before: bool = False) -> int:
        """The wait to begin with for a delay, or for the rest of one."""
        return self._grid.hold_for(milliseconds, held_before=held_before)

    def has(self, milliseconds: int) -> bool:
        """Whether the hold queue for a wait is known to be there."""
        return milliseconds in self._there

    def way_through(self, milliseconds: int, queue: str) -> tuple[str, str]:
        """Exchange and routing key for a wait, after which the message goes on to a queue."""
        return self._names.hold_exchange, f"{milliseconds}.{queue}"

    def place(self, milliseconds: int) -> tuple[str, str]:
        """The exchange and the hold queue that a wait needs."""
        return self._names.hold_exchange, self._names.hold_queue(milliseconds)

    async def have(self, milliseconds: int) -> None:
        """Have the hold queue for a wait; raises LinkFailed, TopologyMismatch, or Unavailable if it may not be made."""
        async with self._making:
            if milliseconds in self._there:
                return
            declarer = Declarer(await self._link.connection())
            if self._declare == "create":
                await self._make(declarer, milliseconds)
            else:
                await check_queues(declarer, [self._names.hold_queue(milliseconds)], f"declare={self._declare!r}")
            self._there.add(milliseconds)

    async def make_again(self, declarer: Declarer) -> None:
        """All that were needed so far."""
        for milliseconds in list(self._there):
            await self._make(declarer, milliseconds)

    async def _make(self, declarer: Declarer, milliseconds: int) -> None:
        names = self._names
        arguments = hold_arguments(milliseconds, names, self._queue_type)
        await declarer.queue(names.hold_queue(milliseconds), arguments)
        await declarer.bind(names.hold_queue(milliseconds), names.hold_exchange, f"{milliseconds}.#")
