"""Tallies in the hands of a test: totals become jobs when the clock comes to their time, and at no other."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import DefinitionError
from goatherd.sync import blocking
from goatherd.testing import testing
from tests.unit.testing.arcade import apply_gifts, arcade, diary, gifts


async def test_totals_become_jobs_when_the_clock_comes_to_their_time() -> None:
    async with testing(arcade) as t:
        for streamer, amount in (("anna", 100), ("ben", 2), ("anna", 50)):
            await gifts.add(streamer, amount)
        await t.drain()
        assert t.jobs(apply_gifts) == []
        await t.advance(4.9)
        assert t.jobs(apply_gifts) == []
        await t.advance(0.1)
        jobs = sorted(t.jobs(apply_gifts), key=lambda job: str(job.arguments))
        assert [job.arguments for job in jobs] == [
            {"streamer": "anna", "total": 150},
            {"streamer": "ben", "total": 2},
        ]
        assert [(job.state, job.attempts, job.result) for job in jobs] == [("done", 1, 150), ("done", 1, 2)]


async def test_each_round_has_what_came_since_the_last() -> None:
    async with testing(arcade) as t:
        for amount in (1, 2, 3):
            await gifts.add("anna", amount)
            await t.drain()
            await t.advance(5)
        await t.advance(60)
        assert [job.arguments["total"] for job in t.jobs(apply_gifts)] == [1, 2, 3]
        assert [(job.due_at - t.now).total_seconds() for job in t.jobs(apply_gifts)] == [-70, -65, -60]


async def test_an_id_is_counted_once_and_less_than_nothing_waits() -> None:
    async with testing(arcade) as t:
        await gifts.add("anna", 5, id="gift 1")
        await gifts.add("anna", 5, id="gift 1")
        await gifts.add("ben", -5)
        await t.advance(5)
        assert [job.arguments for job in t.jobs(apply_gifts)] == [{"streamer": "anna", "total": 5}]
        await gifts.add("ben", 6)
        await t.advance(5)
        assert [job.arguments for job in t.jobs(apply_gifts)][1:] == [{"streamer": "ben", "total": 1}]


async def test_they_come_in_order_with_everything_else() -> None:
    app = Goatherd("stream")
    seen: list[str] = []
    coins = app.tally("coins")

    @coins.flush(every=10)
    async def pay(ctx: Context, streamer: str, total: int) -> None:
        seen.append(f"pay {total}")
        if total == 4:
            await coins.add(streamer, 100)

    @app.task
    async def give(amount: int) -> None:
        seen.append(f"give {amount}")
        await coins.add("anna", amount)

    async with testing(app) as t:
        await app.send_many([give.options(delay=delay).job(delay) for delay in (1, 3, 12, 15)])
        await t.advance(40)
    assert seen == ["give 1", "give 3", "pay 4", "give 12", "give 15", "pay 127"]


async def test_a_year_without_gifts_takes_no_time() -> None:
    async with testing(arcade) as t:
        await gifts.add("anna", 1)
        await t.advance(365 * 86_400)
        await gifts.add("anna", 2)
        await t.drain()
        assert [job.arguments["total"] for job in t.jobs(apply_gifts)] == [1]
        await t.advance(5)
        assert [job.arguments["total"] for job in t.jobs(apply_gifts)] == [1, 2]


@pytest.mark.parametrize("every", [0.1, 0.3, 7.7])
async def test_every_round_comes_though_the_time_is_no_whole_number(every: float) -> None:
    app = Goatherd("stream")
    coins = app.tally("coins")

    @coins.flush(every=every)
    async def pay(streamer: str, total: int) -> None:
        await coins.add(streamer, total + 1)

    async with testing(app) as t:
        await coins.add("anna", 1)
        for _ in range(5):
            await t.advance(every)
        assert [job.arguments["total"] for job in t.jobs(pay)] == [1, 2, 3, 4, 5]


async def test_a_worker_that_dies_counts_nothing_twice() -> None:
    async with testing(arcade) as t:
        t.crash(apply_gifts, at="start")
        t.crash(apply_gifts, at="end")
        await gifts.add("anna", 100)
        await t.advance(5)
        [job] = t.jobs(apply_gifts)
        assert (job.state, job.attempts, job.result) == ("done", 3, 100)
        await t.advance(5)
        assert len(t.jobs(apply_gifts)) == 1


async def test_a_total_comes_twice_and_a_lease_is_lost_as_for_any_keyed_task() -> None:
    async with testing(arcade) as t:
        t.duplicate(apply_gifts)
        await gifts.add("anna", 100)
        await t.advance(5)
        assert diary == ["100 for anna"] * 2
        t.lose_lease(apply_gifts)
        await gifts.add("ben", 7)
        await t.advance(5)
        assert diary[2:] == ["7 for ben"] * 2
        assert [job.state for job in t.jobs(apply_gifts)] == ["done", "done"]


async def test_a_total_that_fails_holds_its_key_and_no_other() -> None:
    async with testing(arcade) as t:
        await gifts.add("anna", 13)
        await gifts.add("ben", 1)
        await t.advance(5)
        assert sorted(job.state for job in t.jobs(apply_gifts)) == ["done", "retrying"]
        await t.advance(30)
        await gifts.add("anna", 1)
        await gifts.add("ben", 2)
        await t.advance(5)
        states = {(job.arguments["streamer"], job.arguments["total"]): job.state for job in t.jobs(apply_gifts)}
        assert states == {("anna", 13): "failed", ("ben", 1): "done", ("anna", 1): "queued", ("ben", 2): "done"}


async def test_a_fake_is_given_the_totals() -> None:
    noted: list[tuple[str, int]] = []

    async def note(streamer: str, total: int) -> int:
        noted.append((streamer, total))
        return total

    async with testing(arcade) as t:
        t.fake(apply_gifts, note)
        await gifts.add("anna", 100)
        await t.advance(5)
    assert (noted, diary) == ([("anna", 100)], [])


async def test_totals_for_another_program_wait_there_unless_it_is_faked() -> None:
    app = Goatherd("stream")
    coins = app.tally("coins")
    paid: list[tuple[str, int]] = []

    @coins.flush(every=5, queue="payments", remote=True)
    async def pay(streamer: str, total: int) -> None: ...

    async def note(streamer: str, total: int) -> None:
        paid.append((streamer, total))

    async with testing(app) as t:
        await coins.add("anna", 3)
        await t.advance(5)
        [job] = t.jobs(pay)
        assert (job.state, job.arguments) == ("queued", {"streamer": "anna", "total": 3})
        t.fake(pay, note)
        await t.drain()
        assert t.jobs(pay)[0].state == "done"
    assert paid == [("anna", 3)]


async def test_what_a_lifespan_adds_is_counted_too() -> None:
    app = Goatherd("stream")
    coins = app.tally("coins")

    @app.lifespan
    async def bonus() -> AsyncIterator[None]:
        await coins.add("anna", 1)
        yield

    @coins.flush(every=5)
    async def pay(streamer: str, total: int) -> None: ...

    async with testing(app) as t:
        await coins.add("anna", 2)
        await t.drain()
        await t.advance(5)
        assert [job.arguments["total"] for job in t.jobs(pay)] == [3]


async def test_threads_add_too() -> None:
    async with testing(arcade) as t:
        await asyncio.to_thread(blocking(gifts).add, "anna", 100)
        await t.advance(5)
        assert [job.result for job in t.jobs(apply_gifts)] == [100]
    # It holds on to a file of the test that is gone now.
    await asyncio.to_thread(blocking(arcade).close)


async def test_a_task_that_cannot_take_totals_is_told_at_the_beginning() -> None:
    app = Goatherd("stream")

    @app.tally("coins").flush(every=5)  # type: ignore[arg-type]
    async def pay(streamer: str, total: str) -> None: ...

    with pytest.raises(DefinitionError, match="must take a key and its total"):
        async with testing(app):
            pass
