"""procrastinate: jobs in PostgreSQL, each deferred by itself."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lanes.contender import Keyed, Ordered, Sender
from benchmarks.lanes.procrastinate import ProcrastinateContender

#: Jobs that are deferred in one call.
BATCH = 1000


@dataclass(frozen=True, kw_only=True)
class WithoutLocks(ProcrastinateContender):
    """Jobs without keys."""

    label: str = "procrastinate"
    keeps_order: bool = False

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        app, job = self.app(place)

        async def one(sent: Keyed) -> None:
            await job.defer_async(number=sent.number)

        async def many(jobs: Sequence[Keyed]) -> None:
            for first in range(0, len(jobs), BATCH):
                await job.batch_defer_async(*({"number": each.number} for each in jobs[first : first + BATCH]))
                await asyncio.sleep(0)

        async with app.open_async():
            yield Sender(one=one, many=many)


CONTENDER: Ordered = WithoutLocks()
