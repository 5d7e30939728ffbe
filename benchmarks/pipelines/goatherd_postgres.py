"""Goatherd: runs of ten steps, messages on RabbitMQ, records in PostgreSQL; on SQLite they differ by address alone."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Promise
from benchmarks.lanes.contender import CONCURRENCY, Keyed, Ordered, Sender
from benchmarks.lanes.places import postgres_of
from benchmarks.loops import run
from benchmarks.rabbitmq.server import queue_of, url_of
from benchmarks.tape import mark
from benchmarks.ways import SENDERS
from goatherd import Goatherd, Pipeline
from goatherd.model.run_record import RunFilter

#: Steps of a run, one after the other.
STEPS = 10
#: Messages that a worker holds.
PREFETCH = 400
#: Runs that are counted of those that are left, which should be none.
SOME = 100

POSTGRES = Promise(delivery="at least once", synced=True, note="each step is recorded once, with the next one")
SQLITE = Promise(delivery="at least once", synced=True, note="the same in one SQLite file")


@dataclass(frozen=True, kw_only=True)
class GoatherdPipeline:
    """One pipeline whose steps come one after the other."""

    label: str
    promise: Promise
    servers: bool
    package: str = "goatherd"
    on_uvloop: bool = True
    keeps_order: bool = False

    async def prepare(self, place: Path) -> None:
        app, _ = self.app(place)
        async with app:
            pass

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        app, pipeline = self.app(place)

        async def one(sent: Keyed) -> None:
            await pipeline.start([sent.number])

        async def share(jobs: Sequence[Keyed]) -> None:
            for first in range(0, len(jobs), STEPS):
                await pipeline.start([job.number for job in jobs[first : first + STEPS]])

        async def many(jobs: Sequence[Keyed]) -> None:
            each = -(-len(jobs) // (SENDERS * STEPS)) * STEPS
            await asyncio.gather(*(share(jobs[first : first + each]) for first in range(0, len(jobs), each)))

        async with app:
            yield Sender(one=one, many=many)

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        app, _ = self.app(place)
        async with app:
            operations = (await app.session().records()).operations
            # A single piece of work is the first step of its run; the others wait for a worker that has ended.
            running = [await operations.look(run.id) for run in await operations.find(RunFilter(state="running"), SOME)]
            return sum(look.steps[0].state != "done" for look in running if look is not None)

    def app(self, place: Path) -> tuple[Goatherd, Pipeline[list[int], list[int]]]:
        """The application and its only pipeline."""
        file = f"sqlite:///{place / 'jobs.db'}"
        app = Goatherd(
            "bench",
            broker_url=url_of(place) if self.servers else file,
            records_url=postgres_of(place) if self.servers else file,
            events_url=f"sqlite:///{place / 'events.db'}",
            default_queue=queue_of(place),
            concurrency=CONCURRENCY,
            prefetch=PREFETCH,
        )
        return app, self.add_steps(app)

    def add_steps(self, app: Goatherd) -> Pipeline[list[int], list[int]]:
        """The pipeline itself."""
        pipeline = app.pipeline("bench", takes=list[int], gives=list[int])
        before = pipeline.input
        for number in range(STEPS):
            before = pipeline.step(after=before, name=f"step{number}")(_step(number))
        return pipeline

    async def _work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        async with app.serve("worker"):
            await asyncio.to_thread(stop.wait)


def _step(place: int):  # type: ignore[no-untyped-def]  # its type is that of the function in it
    async def step(numbers: list[int]) -> list[int]:
        if place < len(numbers):
            mark(numbers[place])
        return numbers

    return step


CONTENDER: Ordered = GoatherdPipeline(label="goatherd, PostgreSQL", promise=POSTGRES, servers=True)
