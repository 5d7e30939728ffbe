"""Stories: steps fail, are tried again by their rules, and in the end fail their run or are left out of it."""

import pytest

from goatherd import GiveUp, Goatherd, Retry, RetryLater
from goatherd.errors import JobFailed
from goatherd.testing import testing

SLOWLY = Retry(2, base=10, factor=3, max=100, jitter=0)


async def test_a_step_is_tried_again_by_its_rule(app: Goatherd) -> None:
    times: list[float] = []
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input, retry=SLOWLY)
    async def pay(amount: int) -> int:
        times.append(t.now.timestamp())
        if len(times) < 3:
            raise ConnectionError("no route")
        return amount

    async with testing(app) as t:
        begun = t.now.timestamp()
        run = await shop.start(5)
        await t.advance(9)
        assert len(times) == 1
        await t.advance(1)
        assert len(times) == 2
        await t.advance(600)
        assert [time - begun for time in times] == [0, 10, 40]
        assert await run.result(timeout=10) == 5
        assert not t.dead


async def test_a_step_that_failed_for_good_fails_its_run(app: Goatherd) -> None:
    seen: list[str] = []
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input, queue="payments", retry=SLOWLY)
    async def pay(amount: int) -> int:
        seen.append("pay")
        raise ConnectionError("no route")

    @shop.step(after=pay)
    async def pack(amount: int) -> int:
        seen.append("pack")
        return amount

    async with testing(app) as t:
        run = await shop.start(5)
        await t.advance(600)
        with pytest.raises(JobFailed, match="step pay: no route") as failed:
            await run.result(timeout=10)
        assert failed.value.error_type == "ConnectionError"
        assert seen == ["pay"] * 3
        [letter] = t.dead
        assert (letter.task, letter.queue, letter.reason, letter.attempts) == ("shop.pay", "payments", "failed", 3)
        assert await run.status() == "failed"


async def test_giving_up_is_not_tried_again(app: Goatherd) -> None:
    calls = 0
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input, retry=SLOWLY)
    async def pay(amount: int) -> int:
        nonlocal calls
        calls += 1
        raise GiveUp("no money")

    async with testing(app) as t:
        run = await shop.start(5)
        await t.advance(600)
        assert (calls, await run.status()) == (1, "failed")
        assert [letter.reason for letter in t.dead] == ["gave_up"]


async def test_later_means_later(app: Goatherd) -> None:
    times: list[float] = []
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(amount: int) -> int:
        times.append(t.now.timestamp())
        if len(times) < 4:
            raise RetryLater(100, count=False)
        return amount

    async with testing(app) as t:
        run = await shop.start(5)
        await t.advance(3600)
        assert [time - times[0] for time in times] == [0, 100, 200, 300]
        assert await run.result(timeout=10) == 5


async def test_items_that_failed_for_good_are_left_out_where_the_step_says_so(app: Goatherd) -> None:
    calls: list[int] = []
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, on_failure="skip", retry=SLOWLY)
    async def up(item: int) -> int:
        calls.append(item)
        if item % 3 == 0:
            raise ValueError("three")
        return item + 1

    async with testing(app) as t:
        run = await ups.start([1, 2, 3, 4, 5, 6])
        await t.advance(600)
        assert await run.result(timeout=10) == [2, 3, 5, 6]
        assert sorted(calls) == [1, 2, 3, 3, 3, 4, 5, 6, 6, 6]
        assert not t.dead


async def test_one_item_that_failed_for_good_fails_the_run(app: Goatherd) -> None:
    calls: list[int] = []
    ups = app.pipeline("ups", takes=list[int], gives=int)

    @ups.map(over=ups.input, concurrency=1)
    async def up(item: int) -> int:
        calls.append(item)
        if item == 2:
            raise ValueError("two")
        return item

    @ups.step(after=up)
    async def total(items: list[int]) -> int:
        calls.append(-1)
        return sum(items)

    async with testing(app) as t:
        run = await ups.start([1, 2, 3, 4])
        await t.drain()
        with pytest.raises(JobFailed, match="step up: two"):
            await run.result(timeout=10)
        # Nothing else of it is started.
        assert calls == [1, 2]
        assert [(letter.task, letter.job_id) for letter in t.dead] == [("ups.up", run.id)]
