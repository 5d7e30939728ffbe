"""What the tables say of tasks and their steps, in a file and in PostgreSQL."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from examples.dubbing.contract import Dubbing, Segment, new_task
from examples.dubbing.database.tables import tasks_at
from examples.dubbing.worker import hearing, noting
from examples.dubbing.worker.noting import finish, noted
from examples.running.database.database import Database
from goatherd import Context
from tests.acceptance.comments.own_database import own_database

TASK = new_task("", "en", "es", task_id="task-7")
CONTEXT = cast("Context", SimpleNamespace(log=logging.getLogger("test")))
STATES = "SELECT step, attempt, item, state, error FROM task_steps ORDER BY step, attempt"


@pytest.fixture(
    params=[
        "file",
        pytest.param("postgres", marks=[pytest.mark.servers("postgres"), pytest.mark.xdist_group("dubbing postgres")]),
    ]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        yield f"sqlite:///{tmp_path}/tasks.db"
    else:
        with own_database() as own:
            yield own


@pytest.fixture
async def database(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Database]:
    opened = tasks_at(url)
    await opened.open()
    monkeypatch.setattr(noting, "database", opened)
    yield opened
    await opened.close()


def begun(step: str, item: int = noting.WHOLE, task: Dubbing = TASK) -> Any:
    return noted(CONTEXT, task, step, 300.0, item)


async def test_attempts_are_numbered_whoever_begins_at_the_same_time(database: Database) -> None:
    async def attempt(item: int) -> None:
        async with begun("tts", item):
            await asyncio.sleep(0)

    await asyncio.gather(*(attempt(item) for item in range(8)))
    rows = await database.read(STATES)
    assert [row[1] for row in rows] == [*range(1, 9)]
    assert {row[2] for row in rows} == {*range(8)}
    assert {row[3] for row in rows} == {"succeeded"}


async def test_a_failure_is_noted_and_goes_on(database: Database) -> None:
    with pytest.raises(ZeroDivisionError):
        async with begun("asr"):
            raise ZeroDivisionError("no sound")
    async with begun("asr"):
        pass
    assert await database.read(STATES) == [
        ("asr", 1, -1, "failed", "no sound"),
        ("asr", 2, -1, "succeeded", ""),
    ]


async def test_an_attempt_that_is_cancelled_is_noted(database: Database) -> None:
    inside = asyncio.Event()

    async def for_ever() -> None:
        async with begun("asr"):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(for_ever())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.read(STATES) == [("asr", 1, -1, "failed", "CancelledError")]


async def test_who_comes_after_one_that_died_says_so_and_a_late_one_changes_nothing(database: Database) -> None:
    late = begun("tts", 2)
    await late.__aenter__()
    async with begun("tts", 2):
        assert [row[3] for row in await database.read(STATES)] == ["lost", "running"]
    await late.__aexit__(None, None, None)
    assert [row[3] for row in await database.read(STATES)] == ["lost", "succeeded"]


async def test_a_task_that_is_done_stays_done(database: Database) -> None:
    async with database.transaction() as desk:
        await noting.accept(desk, TASK)
        await finish(desk, TASK)
    async with begun("tts"):
        pass
    await noting.note_failure(cast("Any", letter()))
    assert await database.read("SELECT state, error FROM tasks") == [("done", "")]


async def test_a_task_that_failed_says_why_until_somebody_tries_again(database: Database) -> None:
    async with begun("asr"):
        pass
    await noting.note_failure(cast("Any", letter()))
    assert await database.read("SELECT state, error FROM tasks") == [("failed", "asr: NoFilm: no sound")]
    async with begun("asr"):
        assert await database.read("SELECT state, error FROM tasks") == [("running", "")]


async def test_segments_that_say_the_same_keep_what_was_made_of_them(database: Database) -> None:
    first = [Segment(idx=n, start=n, end=n + 0.5, room=1, src_text=text) for n, text in enumerate("abc")]
    again = [Segment(idx=n, start=n, end=n + 0.5, room=1, src_text=text) for n, text in enumerate("ax")]
    async with database.transaction() as desk:
        await hearing.write(desk, "task-7", first)
        await desk.do("UPDATE segments SET mt_text = 'said', tts_audio_key = 'key'")
        await hearing.write(desk, "task-7", again)
    rows = await database.read("SELECT idx, src_text, mt_text, tts_audio_key FROM segments ORDER BY idx")
    assert rows == [(0, "a", "said", "key"), (1, "x", None, None)]


def letter() -> SimpleNamespace:
    return SimpleNamespace(job_id="task-7", task="dub.asr", error_type="NoFilm", message="no sound")
