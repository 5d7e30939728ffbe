"""TaskIQ with its RabbitMQ broker."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from taskiq.receiver import Receiver
from taskiq_aio_pika import AioPikaBroker, Exchange, Queue
from taskiq_aio_pika import QueueType as Type

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.loops import run
from benchmarks.rabbitmq.promises import QueueType, promise
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.tape import mark
from benchmarks.ways import by_tasks

#: The default of 10 leaves the worker waiting for the broker; 100 tasks at once are the default of its command line.
PREFETCH, TASKS = 200, 100

PROMISE = promise(f"{TASKS} at once, prefetch {PREFETCH}, on uvloop")


@dataclass(frozen=True, kw_only=True)
class TaskiqContender:
    """TaskIQ on one queue; confirms, persistence and late acks are its defaults."""

    label: str = "taskiq-aio-pika"
    package: str = "taskiq-aio-pika"
    promise: Promise = PROMISE
    on_uvloop: bool = True
    queue_type: QueueType = "quorum"

    async def prepare(self, place: Path) -> None:
        broker, _ = self.app(place)
        await broker.startup()
        await broker.shutdown()

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        broker, job = self.app(place)
        await broker.startup()

        async def send(sent: int) -> None:
            await job.kiq(sent)

        yield Producer(send=send, at_once=by_tasks(send))
        await broker.shutdown()

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    def app(self, place: Path) -> tuple[AioPikaBroker, Any]:
        """The broker and its only task."""
        name, kind = queue_of(place), Type(self.queue_type)
        broker = AioPikaBroker(
            url_of(place),
            qos=PREFETCH,
            exchange=Exchange(name=name),
            task_queues=[Queue(name=name, type=kind)],
            dead_letter_queue=Queue(name=f"{name}.dead", type=kind),
        )

        async def job(sent: int) -> None:
            mark(sent)

        return broker, broker.task(task_name="job")(job)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        broker, _ = self.app(place)
        broker.is_worker_process = True
        finish = asyncio.Event()
        listening = asyncio.create_task(Receiver(broker, max_async_tasks=TASKS).listen(finish))
        await asyncio.to_thread(stop.wait)
        finish.set()
        await listening
        await broker.shutdown()


CONTENDER: Contender = TaskiqContender()
ON_CLASSIC_QUEUES: Contender = TaskiqContender(queue_type="classic")
