"""Stories: what a step gives cannot be used, so it has failed, and says why."""

from typing import Any

import pytest

from goatherd import Goatherd, Retry
from goatherd.errors import JobFailed
from goatherd.testing import testing

ALWAYS = Retry(3, base=10, jitter=0)


@pytest.mark.parametrize(
    ("gives", "told"),
    [
        (lambda items: items[1:], r"called with 1 items and gave 0 results"),
        (lambda items: [*items, 1], r"called with 1 items and gave 2 results"),
        (lambda items: None, r"called with 1 items and gave no list"),
    ],
)
async def test_a_batch_must_give_as_many_results_as_it_has_items(app: Goatherd, gives: Any, told: str) -> None:
    calls: list[list[int]] = []
    ups = app.pipeline("ups", takes=list[int], gives=list[int])

    @ups.map(over=ups.input, batch=3, retry=ALWAYS, concurrency=1)
    async def up(items: list[int]) -> list[int]:
        calls.append(items)
        return gives(items)  # type: ignore[no-any-return]  # it is wrong

    async with testing(app) as t:
        run = await ups.start([1, 2, 3])
        await t.advance(600)
        with pytest.raises(JobFailed, match=told):
            await run.result(timeout=10)
        # What is wrong once is wrong again.
        assert calls == [[1, 2, 3], [1]]


async def test_a_result_that_is_no_json_fails_the_step(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=object)

    @ups.step(after=ups.input, retry=ALWAYS)
    async def up(number: int) -> object:
        return object()

    async with testing(app) as t:
        run = await ups.start(1)
        await t.advance(600)
        with pytest.raises(JobFailed, match="step up: its result cannot be written as JSON"):
            await run.result(timeout=10)


@pytest.mark.parametrize("app", [{"payload_limit": 1000}], indirect=True)
async def test_a_result_that_is_too_large_fails_the_step(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=str)

    @ups.step(after=ups.input, retry=ALWAYS)
    async def up(number: int) -> str:
        return "x" * 2000

    async with testing(app) as t:
        run = await ups.start(1)
        await t.advance(600)
        with pytest.raises(JobFailed, match=r"step up: its result takes 2,002 bytes, but at most 1,000 are allowed"):
            await run.result(timeout=10)
        assert [letter.error_type for letter in t.dead] == ["ResultTooLarge"]


async def test_a_result_of_another_type_does_not_fit_the_next_step(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        return "seven"  # type: ignore[return-value]  # it is wrong

    @ups.step(after=up)
    async def down(number: int) -> int:
        return number - 1

    async with testing(app) as t:
        run = await ups.start(1)
        await t.drain()
        with pytest.raises(JobFailed, match=r"step (up|down): "):
            await run.result(timeout=10)


async def test_what_gives_no_list_has_no_items(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=list[int])

    @ups.step(after=ups.input)
    async def numbers(number: int) -> list[int]:
        return number  # type: ignore[return-value]  # it is wrong

    @ups.map(over=numbers)
    async def up(item: int) -> int:
        return item + 1

    async with testing(app) as t:
        run = await ups.start(1)
        await t.drain()
        with pytest.raises(JobFailed, match=r"step up: ups\.up cannot be begun: numbers gave no list"):
            await run.result(timeout=10)
