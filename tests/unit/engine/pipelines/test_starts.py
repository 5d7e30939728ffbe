"""Stories: runs begin once for each id, at once or later."""

from datetime import timedelta

import pytest

from goatherd import Goatherd
from goatherd.errors import InvalidArguments
from goatherd.testing import testing


async def test_a_second_start_under_the_same_id_is_the_same_run(app: Goatherd) -> None:
    seen: list[int] = []
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        seen.append(number)
        return number

    async with testing(app) as t:
        first = await ups.options(id="video-7").start(1)
        second = await ups.options(id="video-7").start(2)
        await t.drain()
        third = await ups.options(id="video-7").start(3)
        await t.drain()
        assert seen == [1]
        assert [await run.result(timeout=10) for run in (first, second, third)] == [1, 1, 1]
        assert await third.status() == "done"


async def test_a_run_may_begin_later(app: Goatherd) -> None:
    seen: list[int] = []
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        seen.append(number)
        return number

    async with testing(app) as t:
        await ups.options(at=t.now + timedelta(hours=2)).start(2)
        await ups.options(delay=3600).start(1)
        await t.drain()
        assert not seen
        await t.advance(3599)
        assert not seen
        await t.advance(1)
        assert seen == [1]
        await t.advance(timedelta(hours=1))
        assert seen == [1, 2]


async def test_an_input_that_does_not_fit_begins_nothing(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        return number

    async with testing(app) as t:
        with pytest.raises(InvalidArguments):
            await ups.start("seven")  # type: ignore[arg-type]  # it is wrong
        await t.drain()
        assert not t.dead


async def test_a_run_is_found_by_its_id(app: Goatherd) -> None:
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        return number + 1

    async with testing(app) as t:
        await ups.options(id="video-7").start(1)
        await t.drain()
        assert await app.run("video-7").result(timeout=10) == 2
        assert await app.run("video-7", of=ups).result(timeout=10) == 2


async def test_steps_of_a_task_that_starts_runs(app: Goatherd) -> None:
    seen: list[int] = []
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        seen.append(number)
        if number < 3:
            await ups.start(number + 1)
        return number

    @app.task
    async def begin(number: int) -> None:
        await ups.start(number)

    async with testing(app) as t:
        await begin.send(1)
        await t.drain()
        assert seen == [1, 2, 3]
