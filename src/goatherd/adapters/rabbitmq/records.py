"""The records ports on RabbitMQ: what operators wish, kept on the broker itself so that every machine sees it."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.consumer import Subscription
from goatherd.adapters.rabbitmq.failures import LinkFailed, in_our_words
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import Unavailable
from goatherd.ports.records import WorkerRecord

#: Seconds between two looks at what is paused.
LOOK_EVERY = 1.0

log = logging.getLogger("goatherd.rabbitmq")


class RabbitRecords:
    """Satisfies `QueueControls`, `WorkerRecords` and `StoreChecks`.

    A queue is paused while an empty queue beside it says so: such a mark is durable, seen by all, and needs no store.
    """

    def __init__(self, address: Address, link: Link, layout: Layout) -> None:
        self._address = address
        self._link = link
        self._layout = layout

    async def pause(self, queue: str) -> None:
        declarer = await self._known(queue)
        await declarer.queue(self._layout.pause_mark(queue), {})

    async def resume(self, queue: str) -> None:
        declarer = await self._known(queue)
        await declarer.delete(self._layout.pause_mark(queue))

    async def paused(self) -> frozenset[str]:
        return await self.paused_among(self._layout.known_queues())

    async def paused_among(self, queues: Iterable[str]) -> frozenset[str]:
        """Those of some queues that are paused."""
        declarer = Declarer(await self._link.connection())
        marks = {queue: self._layout.pause_mark(queue) for queue in queues}
        return frozenset([queue for queue, mark in marks.items() if await declarer.exists(mark) is not None])

    async def workers(self) -> Sequence[WorkerRecord]:
        # The protocol tells how many consumers a queue has, not who they are.
        return ()

    async def check(self) -> Mapping[str, str]:
        try:
            async with asyncio.timeout(5):
                connection = await self._link.connection()
                await Declarer(connection).exists(self._layout.dead_queue)
        except (LinkFailed, TimeoutError) as error:
            raise Unavailable(f"The broker at {self._address} does not answer: {error}") from error
        server = connection.server
        return {
            "broker": str(self._address),
            "server": f"{server.get('product', '?')} {server.get('version', '?')}",
            "cluster": str(server.get("cluster_name", "?")),
            "state": "blocked: " + connection.blocked if connection.blocked else "taking messages",
        }

    async def _known(self, queue: str) -> Declarer:
        try:
            declarer = Declarer(await self._link.connection())
            if await declarer.exists(queue) is None:
                raise Unavailable(f"There is no queue {queue!r}; `goatherd queues list` shows those that exist.")
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error
        return declarer


class PauseFollower:
    """Stops and starts the subscriptions of one process as operators wish."""

    def __init__(self, records: RabbitRecords) -> None:
        self._records = records
        self._subscriptions: dict[str, list[Subscription]] = {}
        self._task: asyncio.Task[None] | None = None

    async def add(self, queue: str, subscription: Subscription) -> None:
        """Follow for one more; started here unless its queue is paused."""
        self._subscriptions.setdefault(queue, []).append(subscription)
        if queue in await self._records.paused_among([queue]):
            await subscription.pause()
        else:
            await subscription.start()
        if self._task is None:
            self._task = asyncio.create_task(self._follow(), name="goatherd pauses")

    async def close(self) -> None:
        """Follow no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self._look()
            except (LinkFailed, Unavailable, TimeoutError) as error:
                log.debug("What is paused cannot be seen now: %s", error)

    async def _look(self) -> None:
        paused = await self._records.paused_among(self._subscriptions)
        for queue, subscriptions in self._subscriptions.items():
            for subscription in subscriptions:
                if queue in paused:
                    await subscription.pause()
                else:
                    await subscription.resume()
