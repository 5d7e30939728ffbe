"""Stories: a step that takes too long is stopped, and tried again or given up as one that failed."""

import asyncio

import pytest

from goatherd import Failure, Goatherd, Retry
from goatherd.errors import JobFailed
from goatherd.testing import testing


async def test_a_step_that_takes_too_long_is_stopped_and_tried_again(app: Goatherd) -> None:
    stopped: list[int] = []
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input, timeout=0.5, retry=Retry(1, base=10, jitter=0))
    async def cut(number: int) -> int:
        if not stopped:
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append(number)
        return number

    async with testing(app) as t:
        run = await films.start(1)
        await t.drain()
        assert stopped == [1]
        assert await run.status() != "failed"
        await t.advance(10)
        assert await run.result(timeout=10) == 1


async def test_an_item_that_takes_too_long_fails_for_good(app: Goatherd) -> None:
    films = app.pipeline("films", takes=list[int], gives=list[int])

    @films.map(over=films.input, timeout=0.5)
    async def cut(item: int) -> int:
        if item == 2:
            await asyncio.Event().wait()
        return item

    async with testing(app) as t:
        run = await films.start([1, 2])
        await t.drain()
        with pytest.raises(JobFailed, match=r"step cut: the attempt took longer than its time-out of 0\.5 s"):
            await run.result(timeout=10)


async def test_a_batch_that_takes_too_long_is_tried_in_single_items(app: Goatherd) -> None:
    calls: list[list[int]] = []
    films = app.pipeline("films", takes=list[int], gives=list[int])

    @films.map(over=films.input, batch=3, timeout=0.5)
    async def cut(items: list[int]) -> list[int]:
        calls.append(items)
        if 2 in items:
            await asyncio.Event().wait()
        return items

    @cut.compensate
    async def black(failure: Failure, item: int) -> int:
        assert failure.error_type == "TimeoutError"
        return -item

    async with testing(app) as t:
        run = await films.start([1, 2, 3, 4])
        await t.drain()
        assert await run.result(timeout=10) == [1, -2, 3, 4]
        assert sorted(calls) == [[1], [1, 2, 3], [2], [3], [4]]
