"""procrastinate: jobs in PostgreSQL, with a `lock` for each key, which its documentation names for order."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import procrastinate
import psycopg

from benchmarks.contender import Promise
from benchmarks.lanes.contender import CONCURRENCY, Keyed, Ordered, Sender
from benchmarks.lanes.places import postgres_of
from benchmarks.lanes.ways import by_keys
from benchmarks.loops import run
from benchmarks.tape import mark

#: Connections that its senders share, and its worker.
CONNECTIONS = 20
#: Seconds between two looks for jobs: a lock that is given up wakes nobody, so with its own 5 s the last would wait.
POLL = 0.05

PROMISE = Promise(delivery="at least once", synced=True, note=f"a commit with each job; looks every {POLL:g} s")


@dataclass(frozen=True, kw_only=True)
class ProcrastinateContender:
    """One task on one queue."""

    label: str = "procrastinate, lock="
    package: str = "procrastinate"
    promise: Promise = PROMISE
    on_uvloop: bool = False
    keeps_order: bool = True

    async def prepare(self, place: Path) -> None:
        app, _ = self.app(place)
        async with app.open_async():
            if not await _has_tables(place):
                await app.schema_manager.apply_schema_async()

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        app, job = self.app(place)

        async def one(sent: Keyed) -> None:
            await job.configure(lock=str(sent.key)).defer_async(number=sent.number)

        async with app.open_async():
            yield Sender(one=one, many=by_keys(one))

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        count = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing', 'failed')"
        async with await psycopg.AsyncConnection.connect(postgres_of(place)) as connection:
            found = await (await connection.execute(count)).fetchone()
        return int(found[0]) if found else 0

    def app(self, place: Path) -> tuple[procrastinate.App, Any]:
        """The application and its only task."""
        connector = procrastinate.PsycopgConnector(conninfo=postgres_of(place), max_size=CONNECTIONS)
        app = procrastinate.App(connector=connector)

        async def job(number: int) -> None:
            mark(number)

        return app, app.task(name="job")(job)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        app, _ = self.app(place)
        async with app.open_async():
            worker = asyncio.create_task(
                app.run_worker_async(
                    concurrency=CONCURRENCY, fetch_job_polling_interval=POLL, delete_jobs="successful",
                    install_signal_handlers=False,
                )
            )  # fmt: skip
            stopped = asyncio.create_task(asyncio.to_thread(stop.wait))
            await asyncio.wait([worker, stopped], return_when=asyncio.FIRST_COMPLETED)
            worker.cancel()
            await asyncio.gather(worker, return_exceptions=True)


async def _has_tables(place: Path) -> bool:
    async with await psycopg.AsyncConnection.connect(postgres_of(place)) as connection:
        found = await (await connection.execute("SELECT to_regclass('procrastinate_jobs')")).fetchone()
    return found is not None and found[0] is not None


CONTENDER: Ordered = ProcrastinateContender()
