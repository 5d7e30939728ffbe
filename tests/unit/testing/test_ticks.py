"""Schedules in the hands of a test: they fire when the clock is moved."""

import pytest

from goatherd import Context, Goatherd
from goatherd.testing import testing


async def test_a_fixed_rate_fires_at_each_of_its_moments() -> None:
    app = Goatherd("ticks")
    seen: list[str] = []

    @app.every(60)
    async def beat(ctx: Context) -> str:
        seen.append(ctx.run_id)
        return "beaten"

    async with testing(app) as t:
        await t.advance(300)
        jobs = t.jobs(beat)
    assert len(seen) == len(set(seen)) == 5
    assert [(job.id, job.state, job.attempts, job.result) for job in jobs] == [(id, "done", 1, "beaten") for id in seen]


async def test_nothing_fires_before_its_time() -> None:
    app = Goatherd("ticks")

    @app.cron("0 0 2 * * *", tz="Asia/Tokyo")
    async def archive() -> None: ...

    async with testing(app) as t:
        await t.drain()
        assert t.jobs(archive) == []
        await t.advance(86_400)
        [job] = t.jobs(archive)
        assert job.due_at.astimezone(job.due_at.tzinfo).strftime("%H:%M:%S") == "17:00:00"


async def test_a_fixed_delay_counts_from_the_end() -> None:
    app = Goatherd("ticks")

    @app.every(5, after_end=True)
    async def sweep() -> None: ...

    async with testing(app) as t:
        await t.drain()
        assert len(t.jobs(sweep)) == 1
        await t.advance(4.9)
        assert len(t.jobs(sweep)) == 1
        await t.advance(0.2)
        assert len(t.jobs(sweep)) == 2


async def test_a_tick_that_fails_is_tried_again_and_leaves_a_dead_letter() -> None:
    app = Goatherd("ticks")

    # At once, and not again while it is tried: at a fixed rate that would depend on the time of the day.
    @app.every(3600, after_end=True)
    async def broken() -> None:
        raise RuntimeError("no")

    async with testing(app) as t:
        await t.advance(600)
        [job] = t.jobs(broken)
        assert (job.state, job.attempts) == ("failed", 4)
        [letter] = t.dead
        assert letter.task == "broken"


async def test_a_worker_that_dies_does_not_lose_its_tick() -> None:
    app = Goatherd("ticks")

    @app.every(3600, after_end=True)
    async def beat() -> None: ...

    async with testing(app) as t:
        t.crash(beat, at="end")
        await t.advance(600)
        [job] = t.jobs(beat)
        assert (job.state, job.attempts) == ("done", 2)


async def test_schedules_are_set_changed_paused_and_triggered_while_the_app_runs() -> None:
    app = Goatherd("ticks")
    greeted: list[str] = []

    @app.task
    async def greet(name: str) -> None:
        greeted.append(name)

    async with testing(app) as t:
        await app.schedules.set("morning", greet.job("Ada"), every=10)
        await t.advance(20)
        assert greeted == ["Ada", "Ada"]
        await app.schedules.set("morning", greet.job("Ben"), every=10)
        await t.advance(10)
        assert greeted == ["Ada", "Ada", "Ben"]
        await app.schedules.pause("morning")
        await t.advance(50)
        await app.schedules.trigger("morning")
        await t.drain()
        assert greeted == ["Ada", "Ada", "Ben", "Ben"]
        await app.schedules.resume("morning")
        await t.advance(10)
        assert greeted[4:] == ["Ben"]
        await app.schedules.remove("morning")
        await t.advance(50)
        assert greeted[5:] == []


async def test_a_setting_of_the_machine_does_not_reach_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEAT_SECONDS", "1")
    app = Goatherd("ticks")

    @app.every(60, setting="BEAT_SECONDS")
    async def beat() -> None: ...

    async with testing(app) as t:
        await t.advance(60)
        assert len(t.jobs(beat)) == 1


async def test_a_run_that_lost_its_lease_is_fenced_off() -> None:
    app = Goatherd("ticks")
    tokens: list[int] = []

    @app.every(60)
    async def beat(ctx: Context) -> None:
        tokens.append(ctx.fence.token)

    async with testing(app) as t:
        t.lose_lease(beat)
        await t.advance(60)
        [job] = t.jobs(beat)
        assert (job.state, job.attempts) == ("done", 2)
    assert len(set(tokens)) == 2


async def test_a_fake_stands_for_a_scheduled_task_also_in_the_middle_of_a_test() -> None:
    app = Goatherd("ticks")
    done: list[str] = []

    @app.every(60)
    async def beat() -> None:
        done.append("beat")

    async def quiet() -> None:
        done.append("quiet")

    async with testing(app) as t:
        await t.advance(60)
        t.fake(beat, quiet)
        await t.advance(60)
    assert done == ["beat", "quiet"]
