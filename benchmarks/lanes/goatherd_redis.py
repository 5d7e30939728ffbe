"""Goatherd: jobs without a key on RabbitMQ, lanes on Redis; the other stores differ by their address alone."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.contender import Promise
from benchmarks.lanes.contender import CONCURRENCY, Keyed, Ordered, Sender
from benchmarks.lanes.places import postgres_of, redis_of
from benchmarks.loops import run
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.tape import mark
from goatherd import Goatherd, Task

#: Jobs of the broker that are held beside those at work; lanes have no such thing.
PREFETCH = 400
#: Jobs that are counted of those that are left, which should be none.
SOME = 100

SQLITE = Promise(delivery="at least once", synced=True, note="one SQLite file, a sync with each batch that is sent")
POSTGRES = Promise(delivery="at least once", synced=True, note="a commit with each batch that is sent")
REDIS = Promise(delivery="at least once", synced=False, note="append-only file, written to the disk each second")
RABBITMQ = Promise(delivery="at least once", synced=True, note="quorum queue; jobs have no order")


@dataclass(frozen=True, kw_only=True)
class GoatherdLanes:
    """Goatherd with one keyed task, or with the same task without a key to stand beside it."""

    label: str
    promise: Promise
    broker: Literal["rabbitmq", "sqlite"]
    #: Where keyed jobs wait; None if they have no keys.
    lanes: Literal["redis", "postgres", "sqlite"] | None
    package: str = "goatherd"
    on_uvloop: bool = True

    @property
    def keeps_order(self) -> bool:
        return self.lanes is not None

    async def prepare(self, place: Path) -> None:
        app, _ = self.app(place)
        async with app:
            pass

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        app, job = self.app(place)

        async def one(sent: Keyed) -> None:
            await job.send(*sent)

        async def many(jobs: Sequence[Keyed]) -> None:
            await app.send_many(job.job(*sent) for sent in jobs)

        async with app:
            yield Sender(one=one, many=many)

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        app, _ = self.app(place)
        count = await left_in(place, queue_of(place)) if self.broker == "rabbitmq" else 0
        async with app:
            session = app.session()
            if self.broker == "sqlite":
                queues = await session.ports.operations.queues()
                count += sum((queue.ready or 0) + (queue.running or 0) + (queue.dead or 0) for queue in queues)
            if self.lanes is not None:
                lanes = await session.lanes()
                count += sum(lane.length for lane in await lanes.operations.find(limit=SOME))
                count += len(await lanes.lanes.letters(SOME))
        return count

    def app(self, place: Path) -> tuple[Goatherd, Task[[int, int], None]]:
        """The application and its only task."""
        stores = {"redis": redis_of, "postgres": postgres_of}
        file = f"sqlite:///{place / 'jobs.db'}"
        app = Goatherd(
            "bench",
            broker_url=url_of(place) if self.broker == "rabbitmq" else file,
            default_queue=queue_of(place),
            lanes_url=stores[self.lanes](place) if self.lanes in stores else None,
            concurrency=CONCURRENCY,
            prefetch=PREFETCH,
        )

        async def job(key: int, number: int) -> None:
            mark(number)

        return app, app.task(job) if self.lanes is None else app.task(key="key")(job)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        async with app.serve("worker"):
            await asyncio.to_thread(stop.wait)


CONTENDER: Ordered = GoatherdLanes(label="goatherd, Redis", promise=REDIS, broker="rabbitmq", lanes="redis")
