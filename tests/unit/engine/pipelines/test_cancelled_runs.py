"""Stories: a run is cancelled: nothing of it is started any more, and what runs is stopped."""

import asyncio

import pytest

from goatherd import Goatherd, Retry
from goatherd.errors import JobFailed, UnknownJob
from goatherd.testing import testing


async def test_a_run_that_waits_is_not_started(app: Goatherd) -> None:
    seen: list[int] = []
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        seen.append(number)
        return number

    async with testing(app) as t:
        first, other = await ups.start(1), await ups.start(2)
        assert await first.cancel()
        await t.drain()
        assert (seen, await first.status(), await other.status()) == ([2], "cancelled", "done")
        with pytest.raises(JobFailed, match="it was cancelled"):
            await first.result(timeout=10)
        assert not await first.cancel()
        assert not await other.cancel()
        with pytest.raises(UnknownJob):
            await app.run("nothing").cancel()


async def test_what_runs_is_stopped(app: Goatherd) -> None:
    running, stopped = asyncio.Event(), asyncio.Event()
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input)
    async def up(number: int) -> int:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return number

    async with testing(app) as t, asyncio.TaskGroup() as group:
        run = await ups.start(1)
        draining = group.create_task(t.drain())
        await running.wait()
        assert await run.cancel()
        await draining
        assert stopped.is_set()
        assert await run.status() == "cancelled"


async def test_a_run_that_waits_for_its_next_attempt_is_not_tried_again(app: Goatherd) -> None:
    calls: list[int] = []
    ups = app.pipeline("ups", takes=int, gives=int)

    @ups.step(after=ups.input, retry=Retry(5, base=10, jitter=0))
    async def up(number: int) -> int:
        calls.append(number)
        raise ConnectionError("no route")

    async with testing(app) as t:
        run = await ups.start(1)
        await t.drain()
        assert await run.cancel()
        await t.advance(100)
        assert (calls, await run.status()) == ([1], "cancelled")
