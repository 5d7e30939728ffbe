"""Goatherd as it comes: `async def` tasks, default settings."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.tape import mark
from benchmarks.ways import by_tasks, in_one_go
from goatherd import Goatherd, Task

PROMISE = Promise(
    delivery="at least once", synced=True, note="sync with each send; a claim or ack lost to a power cut is repeated"
)


@dataclass(frozen=True, kw_only=True)
class GoatherdContender:
    """Goatherd on one SQLite file."""

    label: str = "goatherd"
    package: str = "goatherd"
    promise: Promise = PROMISE
    on_uvloop: bool = False
    #: Whether the job is a plain function, which runs in a thread.
    plain: bool = False

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
        asyncio.run(self._work(place, stop))

    async def left(self, place: Path) -> int:
        app, _ = self.app(place)
        async with app:
            queues = await app.session().ports.operations.queues()
        counts = [count for queue in queues for count in (queue.ready, queue.delayed, queue.running, queue.dead)]
        return sum(count or 0 for count in counts)

    def app(self, place: Path) -> tuple[Goatherd, Task[[int], None]]:
        """The application and its only task."""
        app = Goatherd("bench", broker_url=f"sqlite:///{place / 'jobs.db'}")

        async def job(sent: int) -> None:
            mark(sent)

        def plain_job(sent: int) -> None:
            mark(sent)

        return app, app.task(plain_job) if self.plain else app.task(job)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        async with app.serve("worker"):
            await asyncio.to_thread(stop.wait)


CONTENDER: Contender = GoatherdContender()
