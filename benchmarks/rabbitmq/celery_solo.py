"""Celery whose worker does the jobs in its own process."""

import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from celery import Celery  # type: ignore[import-untyped]
from celery.signals import worker_ready  # type: ignore[import-untyped]
from celery.worker import state  # type: ignore[import-untyped]
from kombu.entity import Queue

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.rabbitmq.promises import QueueType, promise, queue_arguments
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.tape import mark
from benchmarks.ways import SENDERS, by_threads, sends

#: Celery's default of 4 leaves a worker of short jobs waiting for the broker.
PREFETCH = 100

PROMISE = promise(f"prefetch {PREFETCH}, acks_late, confirm_publish")


@dataclass(frozen=True, kw_only=True)
class CeleryContender:
    """Celery on one queue, with late acks and publisher confirms, neither of which is its default."""

    label: str
    pool: Literal["solo", "prefork"]
    package: str = "celery"
    promise: Promise = PROMISE
    on_uvloop: bool = False
    queue_type: QueueType = "quorum"

    async def prepare(self, place: Path) -> None:
        app, _ = self.app(place)
        with app.connection_for_write() as connection:
            app.amqp.queues[queue_of(place)](connection.default_channel).declare()

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        app, job = self.app(place)
        yield Producer(send=sends(job.delay), at_once=by_threads(job.delay))
        app.close()

    def work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        worker = app.Worker(
            pool=self.pool,
            concurrency=1,
            loglevel="WARNING",
            quiet=True,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        ears, mouth = os.pipe()
        threading.Thread(target=_stop_worker, args=(stop, mouth), name="stop celery", daemon=True).start()
        # Its loop would see only after seconds that it should stop; nothing is written to the pipe before.
        worker_ready.connect(lambda sender, **_: sender.hub.add_reader(ears, os.read, ears, 1), weak=False)
        worker.start()

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    def app(self, place: Path) -> tuple[Any, Any]:
        """The application and its only task."""
        queue = queue_of(place)
        app = Celery("bench", broker=url_of(place), set_as_current=False)
        durable = Queue(queue, durable=True, queue_arguments=queue_arguments(self.queue_type))  # type: ignore[no-untyped-call]
        app.conf.update(
            task_queues=[durable],
            task_default_queue=queue,
            task_acks_late=True,
            task_reject_on_worker_lost=True,
            task_ignore_result=True,
            broker_transport_options={"confirm_publish": True},
            broker_pool_limit=SENDERS,
            worker_prefetch_multiplier=PREFETCH,
            worker_enable_remote_control=False,
            worker_redirect_stdouts=False,
        )
        return app, app.task(name="job")(mark)


def _stop_worker(stop: threading.Event, mouth: int) -> None:
    """As its own signal handler does it, and wake its loop to see it."""
    stop.wait()
    state.should_stop = 0
    os.write(mouth, b".")


CONTENDER: Contender = CeleryContender(label="celery, solo", pool="solo")
ON_CLASSIC_QUEUES: Contender = CeleryContender(label="celery, solo", pool="solo", queue_type="classic")
