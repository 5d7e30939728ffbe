"""FastStream with its RabbitMQ broker."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from faststream import AckPolicy
from faststream.rabbit import Channel, RabbitBroker, RabbitQueue
from faststream.rabbit import QueueType as Type

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.loops import run
from benchmarks.rabbitmq.promises import QueueType, promise
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.tape import mark
from benchmarks.ways import by_tasks

PREFETCH = 200

PROMISE = promise(f"prefetch {PREFETCH}, nack on error, persist=True, no log, on uvloop")


@dataclass(frozen=True, kw_only=True)
class FaststreamContender:
    """FastStream on one queue; it logs nothing, because its default of two lines for a message would be most of it."""

    label: str = "faststream"
    package: str = "faststream"
    promise: Promise = PROMISE
    on_uvloop: bool = True
    queue_type: QueueType = "quorum"

    async def prepare(self, place: Path) -> None:
        async with RabbitBroker(url_of(place), logger=None) as broker:
            await broker.declare_queue(self.queue(place))

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        broker = RabbitBroker(url_of(place), logger=None)
        publisher = broker.publisher(self.queue(place), persist=True)

        async def send(sent: int) -> None:
            await publisher.publish(sent)

        async with broker:
            await broker.start()
            yield Producer(send=send, at_once=by_tasks(send))

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    def queue(self, place: Path) -> RabbitQueue:
        """The only queue."""
        name = queue_of(place)
        if self.queue_type == "quorum":
            return RabbitQueue(name, Type.QUORUM, durable=True)
        return RabbitQueue(name, Type.CLASSIC, durable=True)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        broker = RabbitBroker(url_of(place), logger=None)

        @broker.subscriber(
            self.queue(place), channel=Channel(prefetch_count=PREFETCH), ack_policy=AckPolicy.NACK_ON_ERROR
        )
        async def job(sent: int) -> None:
            mark(sent)

        async with broker:
            await broker.start()
            await asyncio.to_thread(stop.wait)


CONTENDER: Contender = FaststreamContender()
ON_CLASSIC_QUEUES: Contender = FaststreamContender(queue_type="classic")
