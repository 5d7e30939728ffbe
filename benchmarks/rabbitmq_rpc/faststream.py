"""FastStream's `request`, which has one answer on its way at a time, however many ask."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from faststream import AckPolicy
from faststream.rabbit import Channel, QueueType, RabbitBroker, RabbitQueue

from benchmarks.contender import AskAll, Dialogue, Promise
from benchmarks.loops import run
from benchmarks.questions import ask_by_tasks, right_answer
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.rabbitmq_rpc.promises import PREFETCH, confirmed

#: Seconds for an answer, with a hundred others before it.
DEADLINE = 30.0

PROMISE = confirmed("request persistent, both confirmed, answers by direct reply-to are gone with the connection")


@dataclass(frozen=True, kw_only=True)
class FaststreamDialogue:
    """FastStream on one queue; it logs nothing."""

    label: str = "faststream request"
    package: str = "faststream"
    promise: Promise = PROMISE
    on_uvloop: bool = True

    async def prepare(self, place: Path) -> None:
        async with RabbitBroker(url_of(place), logger=None) as broker:
            await broker.declare_queue(_queue(place))

    @asynccontextmanager
    async def asking(self, place: Path) -> AsyncIterator[AskAll]:
        broker, queue = RabbitBroker(url_of(place), logger=None), _queue(place)

        async def call(number: int) -> object:
            return await (await broker.request(number, queue, persist=True, timeout=DEADLINE)).decode()

        async with broker:
            await broker.start()
            yield partial(ask_by_tasks, call)

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    async def _work(self, place: Path, stop: threading.Event) -> None:
        broker = RabbitBroker(url_of(place), logger=None)

        @broker.subscriber(_queue(place), channel=Channel(prefetch_count=PREFETCH), ack_policy=AckPolicy.NACK_ON_ERROR)
        async def answer(number: int) -> int:
            return right_answer(number)

        async with broker:
            await broker.start()
            await asyncio.to_thread(stop.wait)


def _queue(place: Path) -> RabbitQueue:
    return RabbitQueue(queue_of(place), QueueType.CLASSIC, durable=True)


CONTENDER: Dialogue = FaststreamDialogue()
