"""Jobs that share keys, workers that are killed and frozen past their leases, and what became of everything."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from tests.faults.lanes.judge import Job, Verdict, judge, read_journal
from tests.faults.lanes.pen import Pen
from tests.faults.lanes.usage import Sample, Usage, measure

#: Seconds between two looks at the lanes, and between two visits of the operator.
LOOK_EVERY, VISIT_EVERY = 0.2, 1.0
HOT = "hot"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much, by how many, and what is done to them."""

    jobs: int
    keys: int = 200
    workers: int = 6
    concurrency: int = 2
    #: Seconds; who stands still is frozen for a little longer.
    lease: float = 2.0
    freeze: tuple[float, float] = (2.5, 4.5)
    #: Seconds between two faults, and the part of them that are kills.
    pause: tuple[float, float] = (0.7, 2.3)
    kills: float = 0.6
    #: Milliseconds of a job of the hot key, and of others.
    hot: tuple[float, float] = (0.0, 4.0)
    cold: tuple[float, float] = (60.0, 140.0)
    #: Seconds without any effect after which nobody waits for more.
    quiet: float = 40.0
    seed: int

    def made(self) -> list[tuple[Job, float]]:
        """The jobs, half of them of one key, and how long each takes."""
        chance = random.Random(self.seed)
        names = [f"k{number}" for number in range(1, self.keys)]
        counts: dict[str, int] = {}
        made = []
        for place in range(self.jobs):
            key = HOT if place % 2 else chance.choice(names)
            counts[key] = counts.get(key, 0) + 1
            made.append(((key, counts[key]), chance.uniform(*(self.hot if key == HOT else self.cold))))
        return made


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a run."""

    verdict: Verdict
    usage: Usage
    kills: int
    freezes: int
    #: Jobs that were given up because three of their workers had died, and that an operator let be tried again.
    helped: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.verdict}\n  {self.kills} workers killed, {self.freezes} frozen past their lease, "
            f"{self.helped} jobs held and tried again by hand; {self.usage}; {self.seconds:.0f} s"
        )


class System(Protocol):
    """What is put to the test: jobs are sent to it, and workers of it are killed."""

    command: Sequence[str]
    environment: Mapping[str, str]

    async def __aenter__(self) -> Self:
        """Have everything ready for jobs."""

    async def send(self, made: Sequence[tuple[Job, float]]) -> None:
        """Send them in this order; returns when they are accepted."""

    async def ready(self) -> int:
        """How many keys wait for a worker now."""

    async def visit(self) -> int:
        """Do what an operator does; tells how many jobs were helped on."""

    async def left(self) -> Sequence[str]:
        """Keys for which something is left to do."""

    def effects(self) -> list[Job]:
        """All effects so far, in the order in which they were made."""

    async def __aexit__(self, *_: object) -> None:
        """Let go."""


class CrashRun:
    """One run."""

    def __init__(self, folder: Path, plan: Plan, system: System) -> None:
        self._plan = plan
        self._system = system
        self._chance = random.Random(plan.seed)
        self._pen = Pen(folder, system.command, system.environment, self._chance)
        self._samples: list[Sample] = []
        self._helped = 0

    async def run(self) -> Outcome:
        """Until everything is done, or nothing is done any more."""
        plan, pen, system = self._plan, self._pen, self._system
        made = plan.made()
        async with system, pen:
            for _ in range(plan.workers):
                await pen.start()
            await self._all_are_up()
            began = time.monotonic()
            await system.send(made)
            async with running(self._look(), self._visit(), self._harm()):
                await self._until(round(0.97 * plan.jobs))
            # Faults have stopped.
            async with running(self._visit()):
                await self._until(plan.jobs)
                left = await self._left()
            seconds = time.monotonic() - began
            await pen.stop()
        journal = read_journal(pen.journal)
        return Outcome(
            verdict=judge([job for job, _ in made], system.effects(), journal, left),
            usage=measure(self._samples, journal, pen.outages, plan.concurrency),
            kills=pen.kills,
            freezes=pen.freezes,
            helped=self._helped,
            seconds=seconds,
        )

    async def _all_are_up(self) -> None:
        async with asyncio.timeout(60):
            while self._pen.up < self._plan.workers:
                await asyncio.sleep(0.05)

    async def _harm(self) -> None:
        while True:
            await asyncio.sleep(self._chance.uniform(*self._plan.pause))
            if self._chance.random() < self._plan.kills:
                await self._pen.kill_one()
            else:
                self._pen.freeze_one(self._chance.uniform(*self._plan.freeze))

    async def _look(self) -> None:
        while True:
            self._samples.append(Sample(time.time(), await self._system.ready()))
            await asyncio.sleep(LOOK_EVERY)

    async def _visit(self) -> None:
        while True:
            self._helped += await self._system.visit()
            await asyncio.sleep(VISIT_EVERY)

    async def _until(self, wanted: int) -> None:
        """Wait for so many effects; or until nothing happens any more, and then the checker says what is missing."""
        count, since = -1, time.monotonic()
        while count < wanted and time.monotonic() - since < self._plan.quiet:
            await asyncio.sleep(0.25)
            now = len(set(await asyncio.to_thread(self._system.effects)))
            if now != count:
                count, since = now, time.monotonic()

    async def _left(self) -> Sequence[str]:
        """The last ones may not have heard yet that they are done."""
        left = await self._system.left()
        for _ in range(100):
            if not left:
                break
            await asyncio.sleep(0.1)
            left = await self._system.left()
        return left


@asynccontextmanager
async def running(*those: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let them run meanwhile; what goes wrong with one is raised at the end."""
    tasks = [asyncio.create_task(each) for each in those]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ended:
        if isinstance(end, Exception):
            raise end
