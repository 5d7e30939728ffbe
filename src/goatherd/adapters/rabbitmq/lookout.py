"""See in time that a queue is to be replaced to which messages go by its name alone.

From the default exchange no queue can be unbound. What is sent to one in the moment in which it is deleted is lost,
although the broker confirms it. So whoever sends there looks first for a mark that forbids it, and what was seen counts
for a moment; whoever replaces such a queue sets the mark, and waits for longer than that before it is deleted.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable

from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.replacing import FIRST_PAUSE, LONGEST_PAUSE
from goatherd.errors import Unavailable
from goatherd.model.stand_in import senders_mark_of

#: Seconds for which a look counts.
FRESH_FOR = 0.5

log = logging.getLogger("goatherd.rabbitmq")


class Lookout:
    """For the queues that are sent to by the default exchange, but for those that come and go by the thousand."""

    def __init__(self, is_marked: Callable[[str], Awaitable[bool]]) -> None:
        """`is_marked` tells whether there is a mark of some name."""
        self._is_marked = is_marked
        #: Who asks now for each of them, so that all others wait for the same answer.
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        #: Until when each of them is known not to be replaced.
        self.fresh: dict[str, float] = {}

    def watch(self, queues: Iterable[str]) -> None:
        """Look out for these, too."""
        for queue in queues:
            self.fresh.setdefault(queue, -1.0)

    def is_stale(self, messages: Iterable[Outgoing]) -> bool:
        """Whether somebody must look before these are sent."""
        now = asyncio.get_running_loop().time()
        return any(not each.exchange and self.fresh.get(each.routing_key, now) < now for each in messages)

    def stale(self, messages: Iterable[Outgoing]) -> set[str]:
        """The queues to look at before these are sent."""
        now = asyncio.get_running_loop().time()
        keys = {each.routing_key for each in messages if not each.exchange}
        return {key for key in keys if self.fresh.get(key, now) < now}

    async def replaced(self, queues: Iterable[str]) -> list[str]:
        """Those that are being replaced; looked at all at once, for what was seen counts only for a moment."""
        looked = list(queues)
        are_clear = await asyncio.gather(*map(self._is_clear, looked))
        return [queue for queue, is_clear in zip(looked, are_clear, strict=True) if not is_clear]

    async def until_clear(self, queue: str) -> None:
        """Return when it is not being replaced; as long as the caller waits."""
        pause = FIRST_PAUSE
        while not await self._is_clear(queue):
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _is_clear(self, queue: str) -> bool:
        loop = asyncio.get_running_loop()
        async with self._asking[queue]:
            if self.fresh[queue] >= loop.time():
                return True
            asked = loop.time()
            if await self._is_replaced(queue):
                return False
            self.fresh[queue] = asked + FRESH_FOR
            return True

    async def _is_replaced(self, queue: str) -> bool:
        try:
            return await self._is_marked(senders_mark_of(queue))
        except Unavailable as error:
            # The message itself will fare no better, and tell more.
            log.debug("Whether the queue %r is being replaced cannot be seen: %s", queue, error)
            return False
