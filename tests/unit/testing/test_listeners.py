"""Listeners in the hands of a test: whatever is sent to a queue of theirs is done."""

import asyncio

import pytest

from goatherd import Context, Goatherd
from goatherd.sync import blocking
from goatherd.testing import testing
from tests.unit.testing.arcade import Player, allocate_prize, arcade, diary, join_match


async def test_a_job_is_done_though_the_source_is_not_asked() -> None:
    async with testing(arcade) as t:
        await join_match.send(7, Player(1))
        await join_match.send(8, Player(2))
        assert [job.state for job in t.jobs(join_match)] == ["queued", "queued"]
        await t.drain()
        jobs = t.jobs(join_match)
        assert [job.arguments for job in jobs] == [
            {"setting": 7, "player": Player(1)},
            {"setting": 8, "player": Player(2)},
        ]
        assert [(job.state, job.result) for job in jobs] == [("done", "7:1"), ("done", "8:2")]
        await join_match.send(9, Player(3))
        await t.drain()
        assert t.jobs(join_match)[2].state == "done"


async def test_arguments_are_told_with_the_name_first() -> None:
    async with testing(arcade) as t:
        await allocate_prize.send("prize-gold", 5)
        await allocate_prize.send("prize-silver", user=6, prize="medal")
        await t.drain()
        gold, silver = t.jobs(allocate_prize)
    assert list(gold.arguments.items()) == [("queue", "prize-gold"), ("user", 5)]
    assert list(silver.arguments.items()) == [("queue", "prize-silver"), ("user", 6), ("prize", "medal")]
    assert sorted(diary) == ["cup from prize-gold for 5", "medal from prize-silver for 6"]


async def test_a_fixed_collection_is_taken_at_its_word() -> None:
    async with testing(arcade) as t:
        await allocate_prize.send("prize-bronze", 5)
        await t.drain()
        [job] = t.jobs(allocate_prize)
        assert job.state == "queued"
    assert diary == []


async def test_jobs_wait_are_tried_again_and_die_as_others_do() -> None:
    async with testing(arcade) as t:
        await join_match.options(delay=60).send(7, Player(1))
        await join_match.send(7, Player(2, rating=-1))
        await join_match.send(8, Player(3, rating=0))
        await t.drain()
        assert [job.state for job in t.jobs(join_match)] == ["queued", "retrying", "failed"]
        [letter] = t.dead
        assert (letter.task, letter.queue, letter.message) == ("join_match", "matching-pvp-8", "banned")
        await t.advance(60)
        late, again, _ = t.jobs(join_match)
        assert (late.state, again.state) == ("done", "failed")


async def test_a_worker_that_dies_loses_no_job() -> None:
    async with testing(arcade) as t:
        t.crash(join_match, at="start")
        t.crash(join_match, at="end")
        for setting in range(5):
            await join_match.send(setting, Player(setting))
        await t.drain()
        jobs = t.jobs(join_match)
        assert [job.state for job in jobs] == ["done"] * 5
        assert sum(job.attempts for job in jobs) >= 7
        assert not t.dead


async def test_a_job_comes_twice() -> None:
    async with testing(arcade) as t:
        t.duplicate(join_match)
        await join_match.send(7, Player(1))
        await t.drain()
    assert diary == ["player 1 in 7"] * 2


async def test_a_fake_is_given_the_name_too() -> None:
    seen: list[tuple[int, Player]] = []

    async def note(setting: int, player: Player, /) -> str:
        seen.append((setting, player))
        return "noted"

    async with testing(arcade) as t:
        t.fake(join_match, note)
        await join_match.send(7, Player(1))
        await t.drain()
        assert t.jobs(join_match)[0].result == "noted"
    assert seen == [(7, Player(1))]
    assert diary == []


async def test_calls_and_threads_reach_them() -> None:
    async with testing(arcade) as t:
        assert await join_match.call(7, Player(1)) == "7:1"
        await asyncio.to_thread(blocking(join_match).send, 8, Player(2))
        await t.drain()
        assert [job.result for job in t.jobs(join_match)] == ["7:1", "8:2"]
    # It holds on to a file of the test that is gone now.
    await asyncio.to_thread(blocking(arcade).close)


async def test_runs_and_schedules_reach_them() -> None:
    async with testing(arcade) as t:
        run = await join_match.start(7, Player(1))
        await t.drain()
        assert await run.result(timeout=10) == "7:1"
        await arcade.schedules.set("vip", allocate_prize.job("prize-gold", 7), every=60)
        await t.advance(60)
        [job] = t.jobs(allocate_prize)
        assert (job.state, job.arguments) == ("done", {"queue": "prize-gold", "user": 7})


async def test_a_pattern_that_fits_every_queue_takes_its_own_jobs_only() -> None:
    app = Goatherd("anything")
    done: list[str] = []

    async def wanted() -> list[str]:
        raise RuntimeError("there is no database in a test")

    @app.listeners("{}", wanted)
    async def hear(ctx: Context, queue: str, words: str) -> None:
        done.append(f"{queue}: {words}")
        if words == "pass it on":
            await elsewhere.send(words)
            await hear.send("b", "heard")

    @app.task(queue="far", remote=True)
    async def elsewhere(words: str) -> None: ...

    async with testing(app) as t:
        await hear.send("a", "pass it on")
        await t.drain()
        assert done == ["a: pass it on", "b: heard"]
        assert [job.state for job in t.jobs(elsewhere)] == ["queued"]
        assert not t.dead


async def test_a_listener_that_waits_for_ever_is_told_with_its_queue() -> None:
    app = Goatherd("patience")

    @app.listeners("queue-{}", ["a"])
    async def wait(name: str) -> None:
        await asyncio.get_running_loop().create_future()

    async with testing(app) as t:
        await wait.send("a")
        with pytest.raises(AssertionError, match=r"wait\[.*\] is running"):
            await t.drain(timeout=0.5)
