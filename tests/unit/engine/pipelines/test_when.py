"""Stories: a step that is not wanted is passed over, and the steps after it get None."""

import pytest

from goatherd import Goatherd
from goatherd.errors import JobFailed
from goatherd.testing import testing


async def test_a_step_is_done_only_if_its_test_holds(app: Goatherd) -> None:
    seen: list[int] = []
    films = app.pipeline("films", takes=int, gives=str)

    @films.step(after=films.input)
    async def half(number: int) -> int:
        return number // 2

    @films.step(after=(films.input, half)).when(lambda number, half: number > 5 and half > 3)
    async def subtitles(number: int, half: int) -> str:
        seen.append(number)
        return f"subtitles of {number}"

    @films.step(after=subtitles)
    async def shown(subtitles: str | None) -> str:
        return subtitles or "none"

    async with testing(app) as t:
        runs = [await films.start(number) for number in (5, 6, 8)]
        await t.drain()
        assert [await run.result(timeout=10) for run in runs] == ["none", "none", "subtitles of 8"]
        assert seen == [8]


async def test_a_test_that_fails_fails_the_run(app: Goatherd) -> None:
    films = app.pipeline("films", takes=int, gives=str)

    @films.step(after=films.input).when(lambda number: 1 / number > 0)
    async def inverse(number: int) -> int:
        return number

    @films.step(after=inverse)
    async def shown(number: int | None) -> str:
        return str(number)

    async with testing(app) as t:
        run = await films.start(0)
        await t.drain()
        with pytest.raises(JobFailed, match="cannot be begun: division by zero"):
            await run.result(timeout=10)
        [letter] = t.dead
        assert (letter.task, letter.reason, letter.error_type) == ("films.inverse", "invalid", "ZeroDivisionError")
