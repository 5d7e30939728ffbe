"""Schedulers that are killed take no alert with them: another one tells it, and what was told is not told again."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from pathlib import Path
from signal import SIGKILL

import pytest

from goatherd import Goatherd
from goatherd.model.alert_board import Board
from goatherd.wiring import open_alert_board
from tests.acceptance.alerts.pager import Pager, paging
from tests.acceptance.cli.stage import GOATHERD, Running

pytestmark = pytest.mark.timeout(300)

LONG = 60.0


@pytest.fixture
async def pager() -> AsyncIterator[Pager]:
    async with paging() as switched_on:
        yield switched_on
        switched_on.answers.set()


class Schedulers:
    """Processes, of which any may be killed."""

    def __init__(self, folder: Path, pager: Pager, life: ExitStack) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GOATHERD_")}
        self._environment = {
            **kept, "PYTHONPATH": str(Path(__file__).parent), "GOATHERD_BROKER_URL": f"sqlite:///{folder}/jobs.db",
            "GOATHERD_ALERT_WEBHOOK": pager.url,
        }  # fmt: skip
        self._folder = folder
        self._life = life

    async def start(self) -> Running:
        """One more, once it looks."""
        running = Running([*GOATHERD, "scheduler", "shop:app"], self._folder, self._environment)
        self._life.callback(running.close)
        await asyncio.to_thread(running.hear, "Schedules: ", LONG)
        return running


@pytest.fixture
def schedulers(tmp_path: Path, pager: Pager) -> Iterator[Schedulers]:
    with ExitStack() as life:
        yield Schedulers(tmp_path, pager, life)


async def test_another_tells_what_the_dead_could_not(tmp_path: Path, pager: Pager, schedulers: Schedulers) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db")

    @app.task
    async def work() -> None: ...

    async with app:
        await work.send()
        pager.answers.clear()
        first = await schedulers.start()
        # It is in the midst of telling.
        await pager.tried(1)
        second = await schedulers.start()
        first.tell(SIGKILL)
        await asyncio.to_thread(first.end, LONG)
        pager.answers.set()
        assert (await pager.told("lag"))["subject"] == "shop"
        third = await schedulers.start()
        await _noted(app)
        second.tell(SIGKILL)
        await asyncio.to_thread(second.end, LONG)
        assert third.alive
        async with app.serve("worker"):
            await pager.told("lag", "resolved")
    assert [alert["state"] for alert in pager.alerts] == ["firing", "resolved"]


async def _noted(app: Goatherd) -> None:
    """Return when it is on the board that everybody was told."""
    board = await open_alert_board(app.settings, app.clock)
    try:
        async with asyncio.timeout(LONG):
            while not all(notice.owed == () for notice in Board.read((await board.look()).text).notices):
                await asyncio.sleep(0.05)
    finally:
        await board.close()
