"""Dramatiq: a worker process with threads."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dramatiq
from dramatiq.brokers.rabbitmq import RabbitmqBroker

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.rabbitmq.promises import QueueType, promise, queue_arguments
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.tape import mark
from benchmarks.ways import by_threads, sends

#: More threads only fight over Python's lock.
THREADS = 4
#: The default of two for each thread leaves them waiting for the broker.
PREFETCH = 200

PROMISE = promise(f"{THREADS} threads, prefetch {PREFETCH}, confirm_delivery")


class TypedBroker(RabbitmqBroker):
    """Dramatiq has no setting for the type of its queues."""

    def __init__(self, url: str, queue_type: QueueType) -> None:
        super().__init__(url=url, confirm_delivery=True)
        self._queue_type = queue_type

    def _build_queue_arguments(self, queue_name: str) -> dict[str, Any]:
        usual = super()._build_queue_arguments(queue_name)  # type: ignore[no-untyped-call]
        return {**usual, **queue_arguments(self._queue_type)}


@dataclass(frozen=True, kw_only=True)
class DramatiqContender:
    """Dramatiq on one queue, with its usual middleware and with publisher confirms, which are not its default."""

    label: str = "dramatiq"
    package: str = "dramatiq"
    promise: Promise = PROMISE
    on_uvloop: bool = False
    queue_type: QueueType = "quorum"

    async def prepare(self, place: Path) -> None:
        broker, _ = self.app(place)
        broker.declare_queue(queue_of(place), ensure=True)
        broker.close()

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        broker, job = self.app(place)
        yield Producer(send=sends(job.send), at_once=by_threads(job.send))
        broker.close()

    def work(self, place: Path, stop: threading.Event) -> None:
        broker, _ = self.app(place)
        broker.emit_after("process_boot")
        worker = dramatiq.Worker(broker, worker_threads=THREADS)
        # Otherwise a variable of the environment, read when the library is imported.
        worker.queue_prefetch = PREFETCH
        worker.start()
        stop.wait()
        worker.stop()
        broker.close()

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    def app(self, place: Path) -> tuple[RabbitmqBroker, Any]:
        """The broker and its only actor."""
        broker = TypedBroker(url_of(place), self.queue_type)
        return broker, dramatiq.actor(broker=broker, queue_name=queue_of(place), actor_name="job")(mark)


CONTENDER: Contender = DramatiqContender()
ON_CLASSIC_QUEUES: Contender = DramatiqContender(queue_type="classic")
