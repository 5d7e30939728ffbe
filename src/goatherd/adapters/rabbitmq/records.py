"""The records ports on RabbitMQ: what operators wish, kept on the broker itself so that every machine sees it."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.capabilities import capabilities, in_words
from goatherd.adapters.rabbitmq.failures import LinkFailed, in_our_words
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.properties import Properties, write
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import Unavailable
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

    def __init__(self, address: Address, link: Link, publisher: Publisher, layout: Layout) -> None:
        self._address = address
        self._link = link
        self._publisher = publisher
        self._layout = layout

    async def pause(self, queue: str) -> None:
        declarer = await self._known(queue)
        await declarer.queue(self._layout.pause_mark(queue), {"x-max-length": 0})

    async def resume(self, queue: str) -> None:
        declarer = await self._known(queue)
        await declarer.delete(self._layout.pause_mark(queue))

    async def paused(self, also: Iterable[str] = ()) -> frozenset[str]:
        try:
            return await self.paused_among({*self._layout.known_queues(), *also}, PATIENCE)
        except Unavailable as error:
            log.warning("What is paused cannot be seen now: %s", error)
            return frozenset()

    async def paused_among(self, queues: Iterable[str], deadline: float | None = None) -> frozenset[str]:
        """Those of some queues that are paused; raises Unavailable."""
        return frozenset([queue for queue in queues if await self._is_there(self._layout.pause_mark(queue), deadline)])

    async def _is_there(self, mark: str, deadline: float | None) -> bool:
        # The id is how a returned message is known again.
        question = Outgoing(mark, "", mark, write(Properties(content_type="", message_id=mark)), b"")
        return await self._publisher.is_taken(question, deadline)

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
            await self._is_there(self._layout.pause_mark(self._layout.dead_queue), PATIENCE)
        except Unavailable as error:
            return f"takes no messages: {self._publisher.blocked or error}"
        return "takes messages"

    async def _known(self, queue: str) -> Declarer:
        try:
            declarer = Declarer(await self._link.connection())
            if await declarer.exists(queue) is None:
                raise Unavailable(f"There is no queue {queue!r}; `goatherd queues list` shows those that exist.")
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error
        return declarer
