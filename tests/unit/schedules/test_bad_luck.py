"""Schedules beside others that cannot be fired, and beside older programs of the same app."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from goatherd import Goatherd
from goatherd.adapters.sqlite.schedules import SqliteSchedules
from goatherd.adapters.sqlite.tallies import SqliteTallies
from goatherd.engine import beginnings, conductor, endings, ticker
from goatherd.engine.endings import Endings
from goatherd.engine.firing import Firings
from goatherd.engine.missed_ticks import MissedTicks
from goatherd.engine.sent_together import SentTogether
from goatherd.errors import DefinitionError, Unavailable
from goatherd.model.job import AnyJob
from goatherd.model.schedule import Firing

LONG = 20.0


@pytest.fixture
def old(app: Goatherd) -> Goatherd:
    """The same app as it was before it had a schedule."""
    return Goatherd("clocks", broker_url=app.settings.broker_url)


async def test_the_end_of_a_run_may_be_told_by_a_program_that_does_not_have_the_schedule(
    app: Goatherd, old: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    fired: list[int] = []
    enough = asyncio.Event()

    @app.every(0.1)
    async def beat() -> None:
        fired.append(1)
        if len(fired) == 3:
            enough.set()

    monkeypatch.setattr(conductor, "SEE_TO_ENDS_EVERY", 0.02)
    tell = Endings.tell
    async with old, app.serve("worker", "scheduler"):
        olds = (await old.session().records()).conductor

        async def tell_if_old(self: Endings) -> None:
            if self is olds.endings:
                await tell(self)

        monkeypatch.setattr(Endings, "tell", tell_if_old)
        olds.look_for_yourself()
        async with asyncio.timeout(LONG):
            await enough.wait()


async def test_what_nobody_here_can_fire_keeps_nothing_else_waiting(
    app: Goatherd, old: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    beaten = asyncio.Event()

    @app.task
    async def gone() -> None: ...

    @old.every(0.1)
    async def beat() -> None:
        beaten.set()

    async with app:
        await app.schedules.set("ghost", gone.job(), cron="0 0 2 29 2 *")
    monkeypatch.setattr(ticker, "BATCH", 2)
    async with old:
        for _ in range(5):
            await old.schedules.trigger("ghost")
    async with old.serve("worker", "scheduler"), asyncio.timeout(LONG):
        await beaten.wait()


async def test_what_nobody_can_fire_for_long_has_failed(
    app: Goatherd, old: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    @app.task
    async def gone() -> None: ...

    async with app:
        await app.schedules.set("ghost", gone.job(), cron="0 0 2 29 2 *")
    monkeypatch.setattr(beginnings, "UNKNOWN_FOR", 0.0)
    async with old.serve("scheduler"):
        fired = await old.schedules.trigger("ghost")
        operations = (await old.session().recurring.schedules()).operations
        async with asyncio.timeout(LONG):
            while (await operations.history("ghost", 1))[0].state != "failed":
                await asyncio.sleep(0.02)
    assert f"no scheduler knew their tasks for 0 s: {fired}" in caplog.text


@pytest.mark.parametrize("error", [Unavailable("The queue is full."), ValueError("broken")])
async def test_one_that_cannot_be_begun_keeps_no_other_waiting_and_is_begun_later(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    well, greeted, beats = False, asyncio.Event(), 0
    enough = asyncio.Event()

    @app.task
    async def greet() -> None:
        greeted.set()

    @app.every(0.05)
    async def beat() -> None:
        nonlocal beats
        beats += 1
        if beats == 10:
            enough.set()

    begin = Firings.__call__

    async def begin_if_well(self: Firings, firing: Firing) -> bool:
        if firing.schedule == "hello" and not well:
            raise error
        return await begin(self, firing)

    monkeypatch.setattr(ticker, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(Firings, "__call__", begin_if_well)
    async with app.serve("worker", "scheduler"), asyncio.timeout(LONG):
        await app.schedules.set("hello", greet.job(), every=0.01)
        while "hello is due, but cannot be begun" not in caplog.text:
            await asyncio.sleep(0.02)
        await enough.wait()
        assert not greeted.is_set()
        assert caplog.text.count("hello is due, but cannot be begun") == 1
        assert "fault of Goatherd" not in caplog.text
        well = True
        await greeted.wait()


async def test_ticks_that_are_missed_all_the_time_are_told_of_now_and_then(caplog: pytest.LogCaptureFixture) -> None:
    missed = MissedTicks()
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            missed.note("beat", 3)
        missed.note("other", 1)
    told = [record.getMessage() for record in caplog.records]
    assert told == ["beat was not fired in time (3 ticks)", "other was not fired in time (1 ticks)"]


async def test_a_name_of_which_no_id_can_be_made(app: Goatherd) -> None:
    @app.task
    async def greet() -> None: ...

    with pytest.raises(DefinitionError, match="use up to 100 bytes"):
        app.every(5, name="é" * 51)(greet.__wrapped__)
    async with app:
        for name in ("", "x" * 101, "a\nb", "\ud800"):
            with pytest.raises(DefinitionError, match="use up to 100 bytes"):
                await app.schedules.set(name, greet.job(), every=5)


async def test_jobs_of_one_moment_are_sent_together_and_one_that_fails_keeps_no_other_back(app: Goatherd) -> None:
    @app.task
    async def greet(name: str) -> None: ...

    batches: list[list[str]] = []

    async def send_many(jobs: Sequence[AnyJob]) -> None:
        batches.append([job.id for job in jobs])
        if "b" in batches[-1]:
            raise Unavailable("The queue is full.")

    together = SentTogether(_never, send_many)
    jobs = [greet.options(id=each).job("Ada") for each in "abc"]
    outcomes = await asyncio.gather(*map(together.send, jobs), return_exceptions=True)
    assert [type(each) for each in outcomes] == [type(None), Unavailable, type(None)]
    assert batches == [["a", "b", "c"], ["a"], ["b"], ["c"]]


async def _never(job: AnyJob) -> str:
    raise AssertionError("it is not tracked")


async def test_a_scheduler_tells_what_it_cannot_do(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    gifts = app.tally("gifts")

    @gifts.flush(every=60)
    async def give(to: str, total: int) -> None: ...

    async def away(*_: object) -> None:
        raise Unavailable("The disk is full.")

    monkeypatch.setattr(SqliteSchedules, "look", away)
    monkeypatch.setattr(SqliteTallies, "seal", away)
    async with app.serve("scheduler"), asyncio.timeout(LONG):
        while len((health := await app.health()).reasons) < 2:
            await asyncio.sleep(0.02)
        assert health.ready
        assert health.reasons == ["schedules: The disk is full.", "tally gifts: The disk is full."]
        monkeypatch.undo()
        while (await app.health()).reasons:
            await asyncio.sleep(0.02)


async def test_schedules_do_not_wait_for_events_that_are_away(app: Goatherd, monkeypatch: pytest.MonkeyPatch) -> None:
    away = Goatherd("clocks", broker_url=app.settings.broker_url, events_url="redis://127.0.0.1:1/0")
    fired: list[int] = []
    enough = asyncio.Event()

    @away.every(0.1)
    async def beat() -> None:
        fired.append(1)
        if len(fired) == 6:
            enough.set()

    monkeypatch.setattr(endings, "BATCH", 2)
    async with away.serve("worker", "scheduler"), asyncio.timeout(LONG):
        await enough.wait()
