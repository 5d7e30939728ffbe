"""Make the queues of an app, with every way that leads to them and away from them."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.inspection import check_queues
from goatherd.adapters.rabbitmq.names import Names
from goatherd.adapters.rabbitmq.topology import DEAD_QUEUE_ARGUMENTS, Declarer, QueueType, queue_arguments
from goatherd.errors import GoatherdError, TopologyMismatch
from goatherd.model.blueprint import TYPE_ARGUMENT
from goatherd.model.topology import Queue

#: Queues that are being made at once.
MAKERS = 4

log = logging.getLogger("goatherd.rabbitmq")


class Maker:
    """On one connection. What is there already, and as it is wanted, stays as it is.

    The ways to queues that are led `aside` are closed for a while, and stay so.
    """

    def __init__(self, declarer: Declarer, names: Names, queue_type: QueueType, aside: Collection[str] = ()) -> None:
        self._declarer = declarer
        self._names = names
        self._queue_type = queue_type
        self._aside = aside

    async def make_surroundings(self) -> None:
        """What all queues need."""
        declarer, names = self._declarer, self._names
        await declarer.exchange(names.work_exchange, "direct")
        await declarer.exchange(names.dead_exchange, "fanout")
        await self._make_dead_queue()
        await self.bind_announcements([names.dead_queue])
        await declarer.exchange(names.hold_exchange, "topic")
        # Without somewhere to go, a few messages for a deleted queue would stop their whole hold queue.
        await declarer.exchange(names.due_exchange, "topic", {"alternate-exchange": names.dead_exchange})

    async def _make_dead_queue(self) -> None:
        """One that is there stays, also where an earlier program left its type to a virtual host of quorum queues."""
        try:
            await self._declarer.queue(self._names.dead_queue, DEAD_QUEUE_ARGUMENTS)
        except TopologyMismatch as error:
            if error.argument != TYPE_ARGUMENT:
                raise
            log.debug("The letters in %r are renewed before the broker drops them: %s", self._names.dead_queue, error)

    async def make_queues(self, queues: Sequence[Queue]) -> Mapping[str, Exception]:
        """A few at once; gives those that were refused. Raises LinkFailed."""
        for each in {queue.exchange: queue for queue in queues if not queue.passive}.values():
            if each.exchange_type is not None:
                durable, arguments = each.exchange_durable, each.exchange_arguments
                await self._declarer.exchange(each.exchange, each.exchange_type, arguments, durable=durable)
        refusals: dict[str, Exception] = {}
        left = iter(queues)
        makers = [self._make_some(left, refusals) for _ in range(min(MAKERS, len(queues)))]
        for outcome in await asyncio.gather(*makers, return_exceptions=True):
            if outcome is not None:
                raise outcome
        return refusals

    async def make_queue(self, queue: Queue) -> None:
        """Raises LinkFailed, TopologyMismatch, or Unavailable for a passive one that is not there."""
        if queue.passive:
            await check_queues(self._declarer, [queue.name], "passive=True")
        else:
            await self._declarer.queue(queue.name, queue_arguments(queue, self._names, self._queue_type))
        await self.bind(queue)
        await self._lead_letters(self._names.grave_of(queue))

    async def bind(self, queue: Queue) -> None:
        """The ways by which jobs come to a queue: at once, and when they are due."""
        if queue.name in self._aside:
            return
        exchange, key = self._names.way_to(queue)
        if exchange and not queue.passive:
            await self._declarer.bind(queue.name, exchange, key)
        await self._declarer.bind(queue.name, self._names.due_exchange, f"*.{queue.name}")

    async def bind_announcements(self, queues: Iterable[str]) -> None:
        """Let queues be told of every dead letter."""
        for queue in [each for each in queues if each not in self._aside]:
            await self._declarer.bind(queue, self._names.dead_exchange, "")

    async def _make_some(self, queues: Iterator[Queue], refusals: dict[str, Exception]) -> None:
        for queue in queues:
            try:
                await self.make_queue(queue)
            except (ChannelClosed, GoatherdError) as error:
                refusals[queue.name] = error

    async def _lead_letters(self, grave: tuple[str, str] | None) -> None:
        """Have a contract's own dead letters among the app's, too, whoever made them."""
        if grave is None:
            return
        exchange, key = grave
        # Without it, the broker would drop whatever it gives up.
        if not await self._declarer.has_exchange(exchange):
            await self._declarer.exchange(exchange, "direct")
        await self._declarer.lead(exchange, key, self._names.dead_exchange)
