"""Two versions of a program run at once: a moment after the newer one has come, only its times fire."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from goatherd import Goatherd
from goatherd.model.schedule import Firing, Rate
from goatherd.ports.schedules import ScheduleOperations
from tests.faults.lanes.pen import Pen
from tests.faults.pipelines.effects import EFFECTS, make_place
from tests.faults.schedules import tower
from tests.faults.schedules.crash_run import command

#: Seconds between the strikes of the two; their ticks differ but for every twelfth.
OLD, NEW = 3.0, 4.0
PATIENCE = 60.0


class Deployment:
    """Processes of one version."""

    def __init__(self, folder: Path, every: float, url: str, effects: str) -> None:
        folder.mkdir()
        environment = {"GOATHERD_BROKER_URL": url, EFFECTS: effects, tower.EVERY: str(every), tower.RESTS: ""}
        self.pen = Pen(folder, command(), environment, random.Random(7))

    async def grow(self, count: int) -> None:
        for _ in range(count):
            await self.pen.start()
        await until(lambda: self._are_up(count))

    async def _are_up(self, count: int) -> bool:
        return self.pen.up >= count


@pytest.mark.chaos
@pytest.mark.timeout(240)
async def test_the_newer_one_wins_and_older_ones_that_restart_do_not_win_back(tmp_path: Path) -> None:
    url, effects = f"sqlite:///{tmp_path}/goatherd.db", str(tmp_path / "effects.db")
    make_place(effects)
    old, new = (Deployment(tmp_path / name, every, url, effects) for name, every in (("old", OLD), ("new", NEW)))
    async with Goatherd(tower.APP, broker_url=url) as app, old.pen, new.pen:
        schedules = (await app.session().recurring.schedules()).operations
        await old.grow(3)
        await until(lambda: has_fired(schedules, 1))
        assert {firing.tick % OLD for firing in await schedules.history(tower.BELL, 100)} == {0.0}
        await new.grow(2)
        await until(lambda: counts(schedules, NEW))
        known = await schedules.history(tower.BELL, 100)
        # One of the old ones dies and is started again, and says what it has.
        await old.pen.kill_one()
        await until(lambda: has_fired(schedules, len(known) + 4))
        later: list[Firing] = [each for each in await schedules.history(tower.BELL, 100) if each not in known]
        later = [each for each in later if each.tick > max(firing.tick for firing in known)]
        assert {firing.tick % NEW for firing in later} == {0.0}
        assert len(later) >= 4
        await old.pen.stop()
        await new.pen.stop()


async def has_fired(schedules: ScheduleOperations, times: int) -> bool:
    return len(await schedules.history(tower.BELL, 100)) >= times


async def counts(schedules: ScheduleOperations, every: float) -> bool:
    return any(each.name == tower.BELL and each.rule.timing == Rate(every) for each in await schedules.list())


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():
            await asyncio.sleep(0.1)
