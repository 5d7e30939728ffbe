"""The records ports on RabbitMQ: what operators wish, kept on the broker itself so that every machine sees it."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.capabilities import capabilities, in_words
from goatherd.adapters.rabbitmq.failures import LinkFailed, in_our_words
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.adapters.rabbitmq.replacing import GO_ON, Replacing
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.stand_in import OPERATORS_MARK, pause_mark_of, senders_mark_of
from goatherd.ports.records import WorkerRecord

#: Seconds that a person waits to be told what is paused; a broker whose memory is short does not tell.
PATIENCE = 2.0

log = logging.getLogger("goatherd.rabbitmq")


class RabbitRecords:
    """Satisfies `QueueControls`, `WorkerRecords` and `StoreChecks`.

    A queue is paused while an empty queue beside it says so: such a mark is durable, seen by all, and needs no store.
    Whether it is there is asked with a message for it that nobody keeps: a plain question about a queue that is not
    there would be an error in the broker's log, every second and for every worker.
    """

    def __init__(
        self, address: Address, link: Link, publisher: Publisher, layout: Layout, replacing: Replacing
    ) -> None:
        self._address = address
        self._link = link
        self._publisher = publisher
        self._layout = layout
        self._replacing = replacing

    async def pause(self, queue: str) -> None:
        declarer = await self._known(queue)
        if await self._is_marked_by_replacement(declarer, queue):
            raise _being_replaced(queue, "Pause it afterwards")
        await declarer.queue(pause_mark_of(queue), OPERATORS_MARK)

    async def resume(self, queue: str) -> None:
        declarer = await self._known(queue)
        # One that a replacement left behind, of which nothing else is left, is nobody's.
        if await self._is_marked_by_replacement(declarer, queue) and await self._replacing.has_stand_in("queue", queue):
            raise _being_replaced(queue, "Workers go on by themselves then")
        await declarer.delete(senders_mark_of(queue))
        await declarer.delete(pause_mark_of(queue))

    async def paused(self, also: Iterable[str] = ()) -> frozenset[str]:
        try:
            return await self.paused_among({*self._layout.known_queues(), *also}, PATIENCE)
        except Unavailable as error:
            log.warning("What is paused cannot be seen now: %s", error)
            return frozenset()

    async def paused_among(self, queues: Iterable[str], deadline: float | None = None) -> frozenset[str]:
        """Those of some queues that are paused; raises Unavailable."""
        return frozenset([queue for queue in queues if await self._publisher.is_paused(queue, deadline)])

    async def _is_marked_by_replacement(self, declarer: Declarer, queue: str) -> bool:
        """Whether it is paused because it is replaced; the broker tells that only by comparing."""
        if not await self._publisher.is_paused(queue):
            return False
        try:
            await declarer.queue(pause_mark_of(queue), OPERATORS_MARK)
        except TopologyMismatch:
            return True
        return False

    async def workers(self) -> Sequence[WorkerRecord]:
        # The protocol tells how many consumers a queue has, not who they are.
        return ()

    async def check(self) -> Mapping[str, str]:
        try:
            async with asyncio.timeout(5):
                connection = await self._link.connection()
                dead = await Declarer(connection).exists(self._layout.dead_queue)
        except (LinkFailed, TimeoutError) as error:
            raise Unavailable(f"The broker at {self._address} does not answer: {error}") from error
        server = connection.server
        return {
            "broker": str(self._address),
            "server": f"{server.get('product', '?')} {server.get('version', '?')}",
            "cluster": str(server.get("cluster_name", "?")),
            "offers": in_words(capabilities(server)),
            "state": await self._taking(),
            "dead letters": str(dead[0] if dead is not None else 0),
        }

    async def _taking(self) -> str:
        """Whether it takes messages: it says so only to those who try."""
        try:
            await self._publisher.is_paused(self._layout.dead_queue, PATIENCE)
        except Unavailable as error:
            return f"takes no messages: {self._publisher.blocked or error}"
        return "takes messages"

    async def _known(self, queue: str) -> Declarer:
        try:
            declarer = Declarer(await self._link.connection())
            if await declarer.exists(queue) is None and not await self._replacing.has_stand_in("queue", queue):
                raise Unavailable(f"There is no queue {queue!r}; `goatherd queues list` shows those that exist.")
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error
        return declarer


def _being_replaced(queue: str, afterwards: str) -> Unavailable:
    return Unavailable(f"Queue {queue!r} is being replaced, and paused until that is done. {afterwards}. {GO_ON}")
