"""Stories: failed work is tried again, and what is done stays done; or all after a step is forgotten and done again."""

from collections import Counter

import pytest

from goatherd import Failure, Goatherd
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.errors import UnknownStep
from goatherd.testing import testing


async def test_a_failed_step_is_tried_again(app: Goatherd) -> None:
    calls: Counter[str] = Counter()
    broken = True
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pack(number: int) -> int:
        calls["pack"] += 1
        return number + 1

    @shop.step(after=pack)
    async def pay(number: int) -> int:
        calls["pay"] += 1
        if broken:
            raise ValueError("no money")
        return number + 1

    async with testing(app) as t:
        run = await shop.start(1)
        await t.drain()
        assert await run.status() == "failed"
        broken = False
        await run.retry_step(pay)
        assert await run.status() == "queued"
        await t.drain()
        assert await run.result(timeout=10) == 3
        assert calls == {"pack": 1, "pay": 2}


async def test_failed_items_are_tried_again_and_no_others(app: Goatherd) -> None:
    calls: Counter[int] = Counter()
    poison = 3
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, batch=4)
    async def up(items: list[int]) -> list[int]:
        calls.update(items if len(items) == 1 or poison not in items else ())
        if poison in items:
            raise ValueError("poison")
        return [item + 1 for item in items]

    async with testing(app) as t:
        run = await ups.start([1, 2, 3, 4, 5, 6])
        await t.drain()
        assert await run.status() == "failed"
        before = Counter(calls)
        poison = 0
        await run.retry_step("up")
        await t.drain()
        assert await run.result(timeout=10) == [2, 3, 4, 5, 6, 7]
        # Items that had not been begun when the run failed are done now, and of the others only the failed one.
        assert calls[3] == 2
        assert all(calls[item] == 1 for item in calls if item != 3)
        assert before[3] == 1


async def test_a_dead_letter_that_is_sent_again_tries_its_step_again(app: Goatherd) -> None:
    broken = True
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(number: int) -> int:
        if broken:
            raise ValueError("no money")
        return number

    async with testing(app) as t:
        run = await shop.start(1)
        await t.drain()
        [letter] = t.dead
        assert letter.job_id == run.id
        assert letter.arguments == {"number": 1}
        broken = False
        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
        assert await office.replay_one(letter.id)
        await t.drain()
        assert await run.result(timeout=10) == 1
        assert not t.dead


async def test_a_step_and_all_after_it_are_done_again(app: Goatherd) -> None:
    calls: Counter[str] = Counter()
    shop = app.pipeline("shop", takes=list[int], gives=int)

    @shop.step(after=shop.input)
    async def sort(numbers: list[int]) -> list[int]:
        calls["sort"] += 1
        return sorted(numbers)

    @shop.map(over=sort)
    async def up(number: int) -> int:
        calls["up"] += 1
        return number + calls["sort"]

    @shop.step(after=up)
    async def total(numbers: list[int]) -> int:
        calls["total"] += 1
        return sum(numbers)

    async with testing(app) as t:
        run = await shop.start([2, 1])
        await t.drain()
        assert await run.result(timeout=10) == 5
        await run.resume_from(up)
        await t.drain()
        assert await run.result(timeout=10) == 5
        assert calls == {"sort": 1, "up": 4, "total": 2}
        await run.resume_from("sort")
        await t.drain()
        assert await run.result(timeout=10) == 7
        assert calls == {"sort": 2, "up": 6, "total": 3}


async def test_the_input_is_no_step_to_resume_from(app: Goatherd) -> None:
    shop = app.pipeline("shop", takes=int, gives=int)

    @shop.step(after=shop.input)
    async def pay(number: int) -> int:
        return number

    async with testing(app) as t:
        run = await shop.start(1)
        await t.drain()
        for step in (shop.input, "pray"):
            with pytest.raises(UnknownStep):
                await run.resume_from(step)


async def test_what_was_stood_in_for_can_be_done_again(app: Goatherd) -> None:
    broken = True
    shop = app.pipeline("shop", takes=list[int], gives=list[int])

    @shop.map(over=shop.input)
    async def up(number: int) -> int:
        if broken and number == 2:
            raise ValueError("two")
        return number + 1

    @up.compensate
    async def down(failure: Failure, number: int) -> int:
        return -number

    async with testing(app) as t:
        run = await shop.start([1, 2])
        await t.drain()
        assert await run.result(timeout=10) == [2, -2]
        broken = False
        await run.resume_from(up)
        await t.drain()
        assert await run.result(timeout=10) == [2, 3]
