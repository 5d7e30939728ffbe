"""Goatherd: items of a list that are done ten at a time, each of them recorded; as others take ten jobs at a time."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Promise
from benchmarks.lanes.contender import Keyed, Ordered, Sender
from benchmarks.pipelines.goatherd_postgres import GoatherdPipeline
from benchmarks.tape import mark
from goatherd import Goatherd, Pipeline

#: Items of a run, and of a call of its step.
ITEMS, BATCH = 1000, 10

PROMISE = Promise(delivery="at least once", synced=True, note="each item is recorded once, and the list joined once")


@dataclass(frozen=True, kw_only=True)
class GoatherdBatches(GoatherdPipeline):
    """One pipeline with one step, which is done for each item."""

    @asynccontextmanager
    async def sending(self, place: Path) -> AsyncIterator[Sender]:
        app, pipeline = self.app(place)

        async def one(sent: Keyed) -> None:
            await pipeline.start([sent.number])

        async def many(jobs: Sequence[Keyed]) -> None:
            for first in range(0, len(jobs), ITEMS):
                await pipeline.start([job.number for job in jobs[first : first + ITEMS]])

        async with app:
            yield Sender(one=one, many=many)

    def add_steps(self, app: Goatherd) -> Pipeline[list[int], list[int]]:
        pipeline = app.pipeline("bench", takes=list[int], gives=list[int])

        @pipeline.map(over=pipeline.input, batch=BATCH)
        async def items(numbers: list[int]) -> list[int]:
            for number in numbers:
                mark(number)
            return numbers

        return pipeline


CONTENDER: Ordered = GoatherdBatches(
    label=f"goatherd, PostgreSQL, items in batches of {BATCH}", promise=PROMISE, servers=True
)
