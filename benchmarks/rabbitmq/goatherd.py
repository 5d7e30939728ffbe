"""Goatherd on RabbitMQ: `async def` tasks, default settings but for how many jobs it does and holds at once."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.loops import run
from benchmarks.rabbitmq.promises import QueueType, promise
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.tape import mark
from benchmarks.ways import by_tasks, in_one_go
from goatherd import Goatherd, Task

#: Jobs at once and jobs held; the peers get what is best for them too.
CONCURRENCY, PREFETCH = 100, 400

PROMISE = promise(f"{CONCURRENCY} at once, prefetch {PREFETCH}, acks of finished runs together")


@dataclass(frozen=True, kw_only=True)
class GoatherdContender:
    """Goatherd on one queue."""

    label: str = "goatherd"
    package: str = "goatherd"
    promise: Promise = PROMISE
    on_uvloop: bool = True
    queue_type: QueueType = "quorum"

    async def prepare(self, place: Path) -> None:
        app, _ = self.app(place)
        async with app:
            pass

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        app, job = self.app(place)

        async def send(sent: int) -> None:
            await job.send(sent)

        async def send_many(jobs: Sequence[int]) -> None:
            await app.send_many(job.job(sent) for sent in jobs)

        async with app:
            yield Producer(send=send, at_once=by_tasks(send), batch=in_one_go(send_many))

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    def app(self, place: Path) -> tuple[Goatherd, Task[[int], None]]:
        """The application and its only task."""
        app = Goatherd(
            "bench",
            broker_url=url_of(place),
            default_queue=queue_of(place),
            queue_type=self.queue_type,
            concurrency=CONCURRENCY,
            prefetch=PREFETCH,
        )

        async def job(sent: int) -> None:
            mark(sent)

        return app, app.task(job)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        async with app.serve("worker"):
            await asyncio.to_thread(stop.wait)


CONTENDER: Contender = GoatherdContender()
ON_CLASSIC_QUEUES: Contender = GoatherdContender(queue_type="classic")
