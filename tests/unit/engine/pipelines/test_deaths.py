"""Stories: workers die, are late or are told twice, and each step is done once as far as its run can tell."""

import asyncio
from collections import Counter

import pytest

from goatherd import Context, Goatherd
from goatherd.errors import JobFailed
from goatherd.testing import Herd, testing


@pytest.mark.parametrize(("at", "started"), [("start", 1), ("end", 2)])
async def test_a_step_of_a_dead_worker_is_done_by_another(app: Goatherd, at: str, started: int) -> None:
    calls: Counter[str] = Counter()
    pair = app.pipeline("pair", takes=int, gives=int)

    @pair.step(after=pair.input)
    async def first(number: int) -> int:
        calls["first"] += 1
        return number + 1

    @pair.step(after=first)
    async def second(number: int) -> int:
        calls["second"] += 1
        return number + 1

    async with testing(app) as t:
        t.crash(first, at=at)  # type: ignore[arg-type]  # one of both
        run = await pair.start(1)
        await t.drain()
        assert await run.result(timeout=10) == 3
        assert calls == {"first": started, "second": 1}
        assert not t.dead


async def test_a_step_that_kills_three_workers_fails_for_good(app: Goatherd) -> None:
    calls: list[int] = []
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, concurrency=1)
    async def up(item: int) -> int:
        calls.append(item)
        return item

    async with testing(app) as t:
        t.crash(up, times=3)
        run = await ups.start([1, 2])
        await t.drain()
        with pytest.raises(JobFailed, match="step up: 3 processes died while they ran it"):
            await run.result(timeout=10)
        assert calls == [1, 1, 1]
        assert [letter.reason for letter in t.dead] == ["crashed"]


async def test_items_that_were_done_before_the_death_are_not_done_again(app: Goatherd) -> None:
    calls: Counter[int] = Counter()
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, concurrency=1)
    async def up(item: int) -> int:
        calls[item] += 1
        if calls.total() == 5:
            t.crash(up, at="end")
        return item + 1

    async with testing(app) as t:
        run = await ups.start(list(range(10)))
        await t.drain()
        assert await run.result(timeout=10) == list(range(1, 11))
        assert calls == Counter(dict.fromkeys(range(10), 1) | {4: 2})


async def test_only_the_guilty_one_is_given_up(app: Goatherd) -> None:
    calls: Counter[int] = Counter()
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, on_failure="skip")
    async def up(item: int) -> int:
        calls[item] += 1
        if item == 3:
            # Nothing comes between this and its end, so that it is this one which kills.
            t.crash(up, at="end")
        else:
            await asyncio.sleep(0.01)
        return item

    async with testing(app) as t:
        run = await ups.start(list(range(8)))
        await t.drain()
        assert await run.result(timeout=10) == [0, 1, 2, 4, 5, 6, 7]
        # The others were at work when it killed for the first time, and never again.
        assert calls.pop(3) == 3
        assert max(calls.values()) == 2


@pytest.mark.parametrize("app", [{"concurrency": 1}, {"concurrency": 8}], indirect=True)
async def test_a_message_that_comes_twice_does_nothing(app: Goatherd) -> None:
    calls: Counter[str] = Counter()
    ups = app.pipeline("ups", takes=list[int], gives=int)

    @ups.map(over=ups.input)
    async def up(item: int) -> int:
        calls["up"] += 1
        return item

    @ups.step(after=up)
    async def total(items: list[int]) -> int:
        calls["total"] += 1
        return sum(items)

    async with testing(app) as t:
        t.duplicate(up, times=5)
        t.duplicate(total)
        run = await ups.start([1, 2, 3, 4, 5])
        await t.drain()
        assert await run.result(timeout=10) == 15
        assert calls == {"up": 5, "total": 1}


async def test_a_late_worker_does_the_step_in_vain(app: Goatherd) -> None:
    seen: list[tuple[int, str]] = []
    ups = app.pipeline("ups", takes=int, gives=str)

    @ups.step(after=ups.input)
    async def up(ctx: Context, number: int) -> str:
        seen.append((ctx.fence.token, ctx.fence.key))
        return f"token {len(seen)}"

    @ups.step(after=up)
    async def shown(text: str) -> str:
        return text

    async with testing(app) as t:
        t.lose_lease(up)
        run = await ups.options(id="one").start(1)
        await t.drain()
        assert await run.result(timeout=10) == "token 1"
        (newer, key), (older, _) = seen
        assert newer > older
        assert key == "step/one/up"


async def test_an_item_that_is_lost_comes_again(app: Goatherd) -> None:
    calls: Counter[int] = Counter()
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input)
    async def up(item: int) -> int:
        calls[item] += 1
        return item + 1

    async with testing(app) as t:
        t.lose_lease(up, times=2)
        run = await ups.start([1, 2, 3])
        await t.drain()
        assert await run.result(timeout=10) == [2, 3, 4]
        # Those who came late did theirs, too, for nothing stopped them.
        assert calls.total() == 5


async def test_three_lost_leases_are_three_deaths(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        return number

    async with testing(app) as t:
        t.lose_lease(up, times=3)
        run = await ups.start(1)
        await t.drain()
        assert await run.status() == "failed"
        assert [letter.reason for letter in t.dead] == ["crashed"]


async def test_all_at_once(app: Goatherd) -> None:
    """Every fault in one herd, and each run comes to the same end."""
    joined: Counter[str] = Counter()
    ups = app.pipeline("ups", takes=list[int], gives=int)

    @ups.map(over=ups.input, batch=2, concurrency=2)
    async def up(items: list[int]) -> list[int]:
        return [item + 1 for item in items]

    @ups.step(after=up)
    async def total(ctx: Context, items: list[int]) -> int:
        joined[ctx.run_id] += 1
        return sum(items)

    def plan(t: Herd) -> None:
        t.crash(up, at="start")
        t.crash(up, at="end")
        t.crash(total, at="start")
        t.lose_lease(up)
        t.duplicate(up, times=10)
        t.duplicate(total, times=3)

    async with testing(app) as t:
        plan(t)
        runs = [await ups.start(list(range(7))) for _ in range(5)]
        await t.drain()
        assert [await run.result(timeout=10) for run in runs] == [28] * 5
        assert joined == Counter({run.id: 1 for run in runs})
        assert not t.dead
