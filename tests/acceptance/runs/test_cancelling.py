"""A job that is cancelled does not start, or does not go on."""

import asyncio
import os
from types import ModuleType
from typing import Any

import pytest

from goatherd import Run
from goatherd.errors import JobCancelled
from goatherd.events import Retrying, Started
from goatherd.model.dead_letter import LetterFilter
from tests.acceptance.runs.notes import PATIENCE, Notes, kinds, told, until


async def is_cancelled(run: Run[Any]) -> None:
    with pytest.raises(JobCancelled):
        await run.result(PATIENCE)
    assert await run.status() == "cancelled"
    assert not await run.cancel(), "it has ended"


async def test_a_job_that_waits_is_not_started(office: ModuleType, notes: Notes) -> None:
    async with office.app:
        run = await office.write.start(3)
        assert await run.cancel()
        await is_cancelled(run)
    async with office.app.serve("worker"):
        assert await (await office.stumble.start(0)).result(PATIENCE) == 1
    assert notes.lines == []


async def test_a_job_that_is_delayed_is_not_started(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        run = await office.write.options(delay=0.3).start(3)
        assert await office.app.run(run.id).cancel(), "by its id alone"
        await is_cancelled(run)
        # On a broker a delay may end late, but these two end in order.
        assert await (await office.stumble.options(delay=1.5).start(0)).result(PATIENCE) == 1
        assert kinds(await told(run)) == ["Queued", "Failed"]
    assert notes.lines == []


async def test_a_job_that_waits_for_its_next_attempt_is_not_tried_again(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        run = await office.come_later.start()
        await until(run, Retrying)
        assert await run.cancel()
        await is_cancelled(run)
        assert kinds(await told(run)) == ["Queued", "Started", "Retrying", "Failed"]
    assert notes.lines == ["come_later"]


async def test_async_code_is_stopped(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        run, other = await office.idle.start("mine"), await office.idle.start("other")
        await notes.saw("mine began")
        await notes.saw("other began")
        assert await run.cancel()
        await notes.saw("mine stopped")
        await is_cancelled(run)
        assert await other.status() == "running"
        assert "other stopped" not in notes.lines
        letters = office.app.session().ports.dead_letters
        assert [letter async for letter in letters.find(LetterFilter())] == []
        await other.cancel()


async def test_a_thread_is_told_to_stop(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        run = await office.idle_in_a_thread.start()
        await notes.saw("thread began")
        assert await run.cancel()
        await notes.saw("thread stopped")
        await is_cancelled(run)


async def test_a_process_is_killed(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        run = await office.idle_in_a_process.start()
        pid = int((await notes.saw("process began")).split()[-1])
        assert await run.cancel()
        async with asyncio.timeout(PATIENCE):
            while _lives(pid):
                await asyncio.sleep(0.01)
        await is_cancelled(run)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_job_that_has_ended_cannot_be_cancelled(office: ModuleType) -> None:
    async with office.app.serve("worker"):
        run = await office.write.start(1)
        assert await run.result(PATIENCE) == "1 words"
        assert not await run.cancel()
        assert await run.status() == "done"


async def test_cancelling_in_the_moment_of_the_start_leaves_one_truth(office: ModuleType, notes: Notes) -> None:
    async with office.app.serve("worker"):
        for _ in range(20):
            run = await office.idle.start()
            assert await run.cancel()
            await is_cancelled(run)
        started = await office.idle.start("last")
        await until(started, Started)
        await notes.saw("last began")
        assert office.app.session() is not None
        lines = notes.lines
        began, stopped = lines.count("idle began"), lines.count("idle stopped")
        async with asyncio.timeout(PATIENCE):
            while began != stopped:
                await asyncio.sleep(0.01)
                lines = notes.lines
                began, stopped = lines.count("idle began"), lines.count("idle stopped")
        await started.cancel()
