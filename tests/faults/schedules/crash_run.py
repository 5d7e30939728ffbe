"""Processes that tick and work, killed and frozen for a while, and what comes of it."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from goatherd import Goatherd
from goatherd.model.run_record import RunFilter
from goatherd.ports.schedules import ScheduleOperations
from goatherd.ports.steps import RunOperations
from tests.faults.lanes.crash_run import running
from tests.faults.lanes.pen import Pen
from tests.faults.pipelines.effects import EFFECTS, make_place, read_effects
from tests.faults.schedules import tower
from tests.faults.schedules.judge import Evidence, Verdict, judge, read_rounds

MOST = 100_000
#: Seconds until all is done after the last tick.
PATIENCE = 90.0


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How long, by how many, and what is done to them."""

    seconds: float
    processes: int = 5
    every: float = 1.0
    rests: float = 0.3
    #: Seconds by which clocks may be wrong.
    skew: float = 0.0
    #: Seconds; who stands still is frozen for a little longer.
    lease: float = 2.0
    freeze: tuple[float, float] = (2.5, 4.0)
    pause: tuple[float, float] = (0.7, 2.3)
    kills: float = 0.5
    seed: int = 7


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of it."""

    verdict: Verdict
    kills: int
    freezes: int
    helped: int

    def __str__(self) -> str:
        return (
            f"{self.verdict}\n  {self.kills} killed, {self.freezes} frozen, {self.helped} runs taken up again by hand"
        )


def command() -> tuple[str, ...]:
    """A process that ticks and works."""
    roles = ("--roles", "worker,scheduler")
    return "-m", "goatherd", "run", f"{tower.__name__}:app", *roles, "--concurrency", "4"


class CrashRun:
    """One of them."""

    def __init__(self, folder: Path, plan: Plan, urls: Mapping[str, str], effects: str) -> None:
        self._plan = plan
        self._effects = effects
        self._chance = random.Random(plan.seed)
        named = {f"GOATHERD_{name.upper()}": url for name, url in urls.items()}
        environment = {
            **named, "GOATHERD_LEASE": str(plan.lease), EFFECTS: effects, tower.EVERY: str(plan.every),
            tower.RESTS: str(plan.rests), tower.SKEW: str(plan.skew or ""),
        }  # fmt: skip
        self._pen = Pen(folder, command(), environment, self._chance)
        #: Declares nothing: it only looks.
        self._app = Goatherd(tower.APP, lease=plan.lease, **urls)  # type: ignore[arg-type]  # they are URLs by their names
        self._helped = 0

    async def run(self) -> Outcome:
        """For as long as planned, and until all is done."""
        plan, pen = self._plan, self._pen
        make_place(self._effects)
        async with self._app, pen:
            session = self._app.session()
            schedules = (await session.recurring.schedules()).operations
            runs = (await session.records()).operations
            for _ in range(plan.processes):
                await pen.start()
            async with running(self._visit(runs)):
                await self._until(lambda: _is_under_way(pen, schedules, plan.processes))
                async with running(self._harm()):
                    await asyncio.sleep(plan.seconds)
                for name in (tower.BELL, tower.ROUND):
                    assert await schedules.pause(name)
                await self._until(lambda: _is_over(schedules, runs))
            await pen.stop()
            return await self._outcome(schedules, runs)

    async def _outcome(self, schedules: ScheduleOperations, runs: RunOperations) -> Outcome:
        evidence = Evidence(
            every=self._plan.every,
            rests=self._plan.rests,
            strikes=await schedules.history(tower.BELL, MOST),
            walks=await schedules.history(tower.ROUND, MOST),
            ends={run.id: run.state for run in await runs.find(RunFilter(), MOST)},
            effects=[unit for unit, _ in read_effects(self._effects)],
            rounds=read_rounds(self._pen.journal),
            killed=self._pen.outages.dead.keys(),
            frozen=self._pen.outages.frozen.keys(),
        )
        return Outcome(verdict=judge(evidence), kills=self._pen.kills, freezes=self._pen.freezes, helped=self._helped)

    async def _harm(self) -> None:
        while True:
            await asyncio.sleep(self._chance.uniform(*self._plan.pause))
            if self._pen.freezes and self._chance.random() < self._plan.kills:
                await self._pen.kill_one()
            else:
                self._pen.freeze_one(self._chance.uniform(*self._plan.freeze))

    async def _visit(self, runs: RunOperations) -> None:
        """Let those be tried again that died too often, as bad luck has it."""
        while True:
            await asyncio.sleep(1.0)
            await self._pen.replace_ended()
            for run in await runs.find(RunFilter(state="failed"), MOST):
                assert run.trouble is not None
                assert run.trouble.error_type == "WorkerDied", run.trouble
                await self._app.session().runs.retry(run.id)
                self._helped += 1

    async def _until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Or until it is clear that it never will; then the checker says what is missing."""
        end = time.monotonic() + PATIENCE
        while not await holds():
            if time.monotonic() > end:
                return
            await asyncio.sleep(0.1)


async def _is_under_way(pen: Pen, schedules: ScheduleOperations, processes: int) -> bool:
    return pen.up == processes and len(await schedules.history(tower.BELL, 2)) == 2


async def _is_over(schedules: ScheduleOperations, runs: RunOperations) -> bool:
    if any(each.open or each.waiting for each in await schedules.list()):
        return False
    return not any([await runs.find(RunFilter(state=state), 1) for state in ("running", "failed")])
