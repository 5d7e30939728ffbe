"""PgQueuer: jobs in PostgreSQL, taken ten at a time, as it does by itself."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import psycopg
from pgqueuer import Job, PgQueuer, PsycopgDriver, Queries

from benchmarks.contender import Promise
from benchmarks.lanes.contender import CONCURRENCY, Keyed, Ordered, Sender
from benchmarks.lanes.places import postgres_of
from benchmarks.loops import run
from benchmarks.tape import mark

#: Jobs that a worker takes in one go.
BATCH = 10
#: Jobs that are sent in one call.
SENT_AT_ONCE = 1000
#: Seconds between two looks for jobs of which no call came.
POLL = 1

PROMISE = Promise(delivery="at least once", synced=True, note=f"a commit with each batch; takes {BATCH} at a time")


@dataclass(frozen=True, kw_only=True)
class PgQueuerContender:
    """One entry point."""

    label: str = f"pgqueuer, batches of {BATCH}"
    package: str = "pgqueuer"
    promise: Promise = PROMISE
    on_uvloop: bool = False
    keeps_order: bool = False

    async def prepare(self, place: Path) -> None:
        async with _queries(place) as queries:
            if not await queries.schema_is_installed():
                await queries.install()

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        async with _queries(place) as queries:

            async def one(sent: Keyed) -> None:
                await queries.enqueue("job", _payload(sent))

            async def many(jobs: Sequence[Keyed]) -> None:
                for first in range(0, len(jobs), SENT_AT_ONCE):
                    part = jobs[first : first + SENT_AT_ONCE]
                    await queries.enqueue(["job"] * len(part), [_payload(each) for each in part], [0] * len(part))

            yield Sender(one=one, many=many)

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        async with _queries(place) as queries:
            return sum(each.count for each in await queries.queue_size())

    async def _work(self, place: Path, stop: threading.Event) -> None:
        async with await psycopg.AsyncConnection.connect(postgres_of(place), autocommit=True) as connection:
            worker = PgQueuer(PsycopgDriver(connection))

            @worker.entrypoint("job")
            async def job(job: Job) -> None:
                mark(int(job.payload or b"0"))

            running = asyncio.create_task(
                worker.run(dequeue_timeout=timedelta(seconds=POLL), batch_size=BATCH, max_concurrent_tasks=CONCURRENCY)
            )
            stopped = asyncio.create_task(asyncio.to_thread(stop.wait))
            await asyncio.wait([running, stopped], return_when=asyncio.FIRST_COMPLETED)
            worker.shutdown.set()
            await asyncio.gather(running)


def _payload(sent: Keyed) -> bytes:
    return str(sent.number).encode()


@asynccontextmanager
async def _queries(place: Path) -> AsyncIterator[Queries]:
    async with await psycopg.AsyncConnection.connect(postgres_of(place), autocommit=True) as connection:
        yield Queries(PsycopgDriver(connection))


CONTENDER: Ordered = PgQueuerContender()
