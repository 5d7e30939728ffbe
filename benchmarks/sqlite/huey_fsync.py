"""Huey with a sync for every transaction."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from huey import SqliteHuey  # type: ignore[import-untyped]

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.tape import mark
from benchmarks.ways import by_threads, sends

#: Seconds between two looks at the file. Huey's own 0.1 s, growing to 10 s, would decide its idle latency alone.
LOOK_EVERY = 0.001

#: Threads; more only fight over the file, and the job rate falls.
WORKERS = 1


@dataclass(frozen=True, kw_only=True)
class HueyContender:
    """Huey on one SQLite file; its consumer removes a job before it runs it."""

    label: str
    package: str = "huey"
    promise: Promise
    on_uvloop: bool = False
    fsync: bool

    async def prepare(self, place: Path) -> None:
        self.app(place)

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        _, job = self.app(place)
        yield Producer(send=sends(job), at_once=by_threads(job))

    def work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        consumer = app.create_consumer(
            workers=WORKERS, periodic=False, initial_delay=LOOK_EVERY, max_delay=LOOK_EVERY, backoff=1.0
        )
        consumer.start()
        stop.wait()
        consumer.stop(graceful=True)

    async def left(self, place: Path) -> int:
        app, _ = self.app(place)
        return int(app.pending_count())

    def app(self, place: Path) -> tuple[Any, Any]:
        """The application and its only task."""
        app = SqliteHuey("bench", filename=str(place / "jobs.db"), fsync=self.fsync, results=False)
        return app, app.task(name="job")(mark)


CONTENDER: Contender = HueyContender(
    label="huey, fsync",
    promise=Promise(delivery="at most once", synced=True, note="sync with each send and each take"),
    fsync=True,
)
