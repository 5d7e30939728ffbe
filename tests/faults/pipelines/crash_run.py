"""Runs of a pipeline, workers that are killed and frozen, stores that are wiped and restarted, and what comes of it."""

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from tests.faults.lanes.crash_run import running
from tests.faults.lanes.pen import Pen
from tests.faults.pipelines.judge import Evidence, Verdict, judge, read_journal

#: Seconds between two visits of the operator.
VISIT_EVERY = 1.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How much, by how many, and what is done to them."""

    runs: int
    goats: int
    workers: int = 4
    concurrency: int = 4
    #: Milliseconds that an attempt takes at most.
    lasts: float = 60.0
    #: Seconds; who stands still is frozen for a little longer.
    lease: float = 2.0
    freeze: tuple[float, float] = (2.5, 4.0)
    #: Seconds between two faults, and the part of them that are kills.
    pause: tuple[float, float] = (0.7, 2.3)
    kills: float = 0.6
    #: The parts of all units that are done when the broker is wiped and the records' server is restarted.
    wiped_at: float = 0.35
    restarted_at: float = 0.6
    #: The part after which no more harm is done.
    peace_at: float = 0.95
    #: Seconds in which nothing is done after which nobody waits for more.
    quiet: float = 90.0
    #: Whether effects are made in one transaction with the fence of their attempt.
    fenced: bool = True
    #: Seconds after which workers are told again of a unit that nobody has claimed; None: as it is in the package.
    tell_again: float | None = None
    seed: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of it."""

    verdict: Verdict
    kills: int
    freezes: int
    wiped: int
    #: Runs that failed because three workers had died over one of their units, and that an operator took up again.
    helped: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.verdict}\n  {self.kills} workers killed, {self.freezes} frozen past their lease, {self.wiped} "
            f"messages wiped, {self.helped} runs taken up again by hand; {self.seconds:.0f} s"
        )


class System(Protocol):
    """What is put to the test: runs are begun in it, and workers of it are killed."""

    command: Sequence[str]
    environment: Mapping[str, str]

    async def __aenter__(self) -> Self:
        """Have everything ready for runs."""

    async def begin(self, runs: int, goats: int) -> None:
        """Begin so many runs."""

    async def done(self) -> float:
        """The part of all effects that is made; 1.0 when all runs have ended, too."""

    async def wipe(self) -> int:
        """Have the broker lose all that it has; tells how many messages that were."""

    async def restart(self) -> None:
        """End the server of the records and start it again, where there is one."""

    async def visit(self) -> int:
        """Do what an operator does; tells how many runs were helped on."""

    async def evidence(self) -> Evidence:
        """What is on record, without what workers wrote."""

    async def __aexit__(self, *_: object) -> None:
        """Let go."""


class CrashRun:
    """One of them."""

    def __init__(self, folder: Path, plan: Plan, system: System) -> None:
        self._plan = plan
        self._system = system
        self._chance = random.Random(plan.seed)
        self._pen = Pen(folder, system.command, system.environment, self._chance)
        self._helped = 0
        self._wiped = 0

    async def run(self) -> Outcome:
        """Until everything is done, or nothing is done any more."""
        plan, pen, system = self._plan, self._pen, self._system
        async with system, pen:
            for _ in range(plan.workers):
                await pen.start()
            await self._all_are_up()
            began = time.monotonic()
            await system.begin(plan.runs, plan.goats)
            async with running(self._visit()):
                async with running(self._harm()):
                    await self._until(plan.wiped_at)
                    self._wiped = await system.wipe()
                    await self._until(plan.restarted_at)
                    await system.restart()
                    await self._until(plan.peace_at)
                # Faults have stopped.
                await self._until(1.0)
            seconds = time.monotonic() - began
            await pen.stop()
            evidence = await system.evidence()
        return Outcome(
            verdict=judge(evidence.with_journal(read_journal(pen.journal), pen.outages.frozen)),
            kills=pen.kills,
            freezes=pen.freezes,
            wiped=self._wiped,
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
            # The first one is frozen, so that there is one in a short run, too.
            if self._pen.freezes and self._chance.random() < self._plan.kills:
                await self._pen.kill_one()
            else:
                self._pen.freeze_one(self._chance.uniform(*self._plan.freeze))

    async def _visit(self) -> None:
        while True:
            await asyncio.sleep(VISIT_EVERY)
            await self._pen.replace_ended()
            self._helped += await self._system.visit()

    async def _until(self, wanted: float) -> None:
        """Wait for so much; or until nothing happens any more, and then the checker says what is missing."""
        part, since = -1.0, time.monotonic()
        while part < wanted and time.monotonic() - since < self._plan.quiet:
            await asyncio.sleep(0.1)
            now = await self._system.done()
            if now != part:
                part, since = now, time.monotonic()
