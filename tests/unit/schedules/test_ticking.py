"""Ticks in a program that serves: fired, overlapping or not, changed by others, with a store that is away."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from goatherd import Context, Goatherd
from goatherd.adapters.sqlite.schedules import SqliteSchedules
from goatherd.errors import Unavailable
from goatherd.model.schedule import ScheduleLook

LONG = 20.0


async def test_each_tick_fires_once_however_many_tick(app: Goatherd) -> None:
    fired: list[str] = []
    enough = asyncio.Event()

    @app.every(0.2, overlap="allow")
    async def beat(ctx: Context) -> None:
        fired.append(ctx.run_id)
        if len(fired) == 6:
            enough.set()

    other = Goatherd("clocks", broker_url=app.settings.broker_url)
    other.every(0.2, overlap="allow", name="beat")(beat.__wrapped__)  # type: ignore[call-overload]  # seen as the plain function
    async with app.serve("worker", "scheduler"), other.serve("scheduler"):
        async with asyncio.timeout(LONG):
            await enough.wait()
    assert len(fired) == len(set(fired))


async def test_runs_do_not_overlap_unless_that_is_allowed(app: Goatherd) -> None:
    at_once, most, ended = 0, 0, 0
    enough = asyncio.Event()

    @app.every(0.05)
    async def slow() -> None:
        nonlocal at_once, most, ended
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.15)
        at_once -= 1
        ended += 1
        if ended == 3:
            enough.set()

    async with app.serve("worker", "scheduler"):
        async with asyncio.timeout(LONG):
            await enough.wait()
        history = await (await app.session().recurring.schedules()).operations.history("slow", 100)
    assert most == 1
    assert {"done", "skipped"} <= {firing.state for firing in history}


async def test_a_trigger_fires_at_once_and_gives_the_id_of_its_run(app: Goatherd) -> None:
    @app.cron("0 0 2 29 2 *")
    async def rarely() -> str:
        return "done"

    async with app.serve("worker", "scheduler"):
        run = await app.schedules.trigger("rarely")
        assert await app.run(run, of=rarely).result(timeout=LONG) == "done"


async def test_a_store_that_was_away_is_looked_at_again(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fired, away = asyncio.Event(), True

    @app.every(0.1)
    async def beat() -> None:
        fired.set()

    look = SqliteSchedules.look

    async def look_if_there(self: SqliteSchedules, names: Sequence[str], limit: int) -> ScheduleLook:
        nonlocal away
        if away:
            away = False
            raise Unavailable("The disk is full.")
        return await look(self, names, limit)

    monkeypatch.setattr(SqliteSchedules, "look", look_if_there)
    with caplog.at_level(logging.INFO, "goatherd.scheduler"):
        async with app.serve("worker", "scheduler"):
            async with asyncio.timeout(LONG):
                await fired.wait()
    told = [record.getMessage() for record in caplog.records]
    assert "Nothing is fired now; trying until it can be: The disk is full." in told
    assert "Schedules can be reached again" in told


async def test_a_job_of_a_task_that_this_program_does_not_have_waits_for_one_that_has(
    app: Goatherd, caplog: pytest.LogCaptureFixture
) -> None:
    greeted = asyncio.Event()

    @app.task
    async def greet(name: str) -> None:
        greeted.set()

    async with app:
        await app.schedules.set("hello", greet.job("Ada"), cron="0 0 2 29 2 *")
    old = Goatherd("clocks", broker_url=app.settings.broker_url)
    async with old.serve("scheduler"):
        await old.schedules.trigger("hello")
        async with asyncio.timeout(LONG):
            while "it has no task 'greet'" not in caplog.text:
                await asyncio.sleep(0.02)
    async with app.serve("worker", "scheduler"), asyncio.timeout(LONG):
        await greeted.wait()
