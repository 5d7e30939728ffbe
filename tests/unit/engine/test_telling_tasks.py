"""Tasks of every kind tell their watchers, and nobody hears what they say when they should be silent."""

import asyncio
import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goatherd import Context, Goatherd, JobFailed, sync
from goatherd.events import Done, Event, Failed, Progress, Token
from goatherd.run import Run
from tests.unit.engine.stage import PATIENCE, Notes, at_work

PROGRAM = """
import threading
import time
from pathlib import Path

from goatherd import Goatherd, sync

app = Goatherd("speaker")


@app.task(executor="process")
def speak(ctx: sync.Context, words: list[str]) -> int:
    for word in words:
        ctx.token(word)
        ctx.progress(word, 100, length=len(word))
    return len(words)


@app.task(executor="process")
def haunt(ctx: sync.Context, marker: str) -> None:
    def ghost() -> None:
        while not Path(marker).exists():
            ctx.token("boo")
            time.sleep(0.001)

    threading.Thread(target=ghost, daemon=True).start()


@app.task(executor="process")
def mistaken(ctx: sync.Context) -> None:
    ctx.progress("x", what=object())
"""


async def told(run: Run[Any]) -> list[Event]:
    async with asyncio.timeout(PATIENCE):
        return [event async for event in run.events()]


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))


def stages_of(events: list[Event]) -> list[str]:
    return [event.stage for event in events if isinstance(event, Progress)]


# --- of every kind -------------------------------------------------------------------------------------------------


async def test_async_tasks_and_plain_functions_tell(app: Goatherd) -> None:
    @app.task
    async def stream(ctx: Context) -> str:
        await ctx.progress("begin", 0, status="started", url="x")
        for piece in ("a", "b", "c"):
            await ctx.token(piece)
        await ctx.progress("end", 100)
        return "abc"

    @app.task
    def stream_in_a_thread(ctx: sync.Context) -> str:
        ctx.progress("begin", 0)
        for number in range(250):
            ctx.token(f"{number} ", node="thought")
        ctx.progress("end", 100)
        return "thread"

    async with at_work(app):
        run = await stream.start()
        events = await told(run)
        assert (text_of(events), stages_of(events)) == ("abc", ["begin", "end"])
        assert await run.text() == "abc"
        begin = next(event for event in events if isinstance(event, Progress))
        assert (begin.status, begin.percent, begin.fields) == ("started", 0, {"url": "x"})
        events = await told(await stream_in_a_thread.start())
        assert text_of(events) == "".join(f"{number} " for number in range(250))
        assert stages_of(events) == ["begin", "end"]


async def test_in_jobs_that_are_not_tracked_telling_does_nothing(app: Goatherd) -> None:
    @app.task
    async def stream(ctx: Context) -> str:
        await ctx.progress("begin", 0)
        await ctx.token("a")
        return "done"

    @app.task
    def plain(ctx: sync.Context) -> str:
        ctx.progress("begin", 0)
        ctx.token("a")
        return "done"

    async with at_work(app) as stage:
        await stream.options(id="j1").send()
        assert await plain.options(id="j2").call() == "done"
        await stage.saw("acked", 2)
        events = await app.session().events()
        assert [await events.state(job) for job in ("j1", "j2")] == [None, None]


async def test_a_task_that_is_called_directly_tells_nobody_or_those_who_watch_its_caller(app: Goatherd) -> None:
    @app.task
    async def inner(ctx: Context) -> str:
        await ctx.token("inner ")
        return ctx.job_id

    @app.task
    def plain(ctx: sync.Context) -> str:
        ctx.token("plain ")
        ctx.progress("plain stage")
        return ctx.job_id

    @app.task
    async def outer(ctx: Context) -> bool:
        await ctx.token("outer ")
        ids = [await inner(), plain(), await asyncio.to_thread(plain)]
        await ctx.token("end")
        return set(ids) == {ctx.job_id}

    assert await inner() == "local"
    assert plain() == "local"
    async with at_work(app):
        run = await outer.start()
        assert await run.result(PATIENCE) is True
        assert await run.text() == "outer inner plain plain end"
        assert stages_of(await told(run)) == ["plain stage", "plain stage"]


async def test_mistakes_are_the_task_s_own(app: Goatherd) -> None:
    @app.task
    async def wrong(ctx: Context, how: str) -> None:
        match how:
            case "stage":
                await ctx.progress("a\udc80")
            case "fields":
                await ctx.progress("a", what=object())
            case "text":
                await ctx.token(5)  # type: ignore[arg-type]  # that is the point

    async with at_work(app):
        for how, error in (("stage", "UnicodeEncodeError"), ("fields", "TypeError"), ("text", "TypeError")):
            with pytest.raises(JobFailed) as caught:
                await (await wrong.start(how)).result(PATIENCE)
            assert caught.value.error_type == error


# --- after the end -------------------------------------------------------------------------------------------------


async def test_a_thread_that_runs_on_after_its_time_is_not_heard(app: Goatherd) -> None:
    go_on, told_more = threading.Event(), threading.Event()

    @app.task(timeout=0.1)
    def stubborn(ctx: sync.Context) -> None:
        ctx.token("in time")
        go_on.wait(PATIENCE)
        for _ in range(150):
            ctx.token("too late")
        ctx.progress("too late")
        told_more.set()

    async with at_work(app) as stage:
        run = await stubborn.start()
        await stage.saw("buried")
        go_on.set()
        assert await asyncio.to_thread(told_more.wait, PATIENCE)
        events = await told(run)
        assert text_of(events) == "in time"
        assert isinstance(events[-1], Failed)
        assert events[-1].error == "TimeoutError"


async def test_a_task_of_asyncio_that_runs_on_after_its_job_is_not_heard(app: Goatherd) -> None:
    notes, left = Notes(), list[asyncio.Task[None]]()

    @app.task
    async def leaves_something(ctx: Context) -> str:
        async def haunt() -> None:
            while True:
                await ctx.token("boo")
                notes("boo")
                await asyncio.sleep(0)

        left.append(asyncio.create_task(haunt()))
        return "done"

    async with at_work(app):
        run = await leaves_something.start()
        assert await run.result(PATIENCE) == "done"
        await notes.saw("boo", notes.counted["boo"] + 100)
        left[0].cancel()
        *_, last = await told(run)
        assert isinstance(last, Done)


# --- in processes --------------------------------------------------------------------------------------------------


@pytest.fixture
def speaker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A program of its own, which its child processes import."""
    (tmp_path / "speaker.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("GOATHERD_BROKER_URL", f"sqlite:///{tmp_path}/jobs.db")
    monkeypatch.setenv("GOATHERD_RETRY", "0")
    yield importlib.import_module("speaker")
    del sys.modules["speaker"]


async def test_functions_in_processes_tell(speaker: Any) -> None:
    words = [f"wörd {number}" for number in range(300)]
    async with at_work(speaker.app):
        run = await speaker.speak.start(words)
        events = await told(run)
        assert text_of(events) == "".join(words)
        assert stages_of(events) == words
        assert await run.result() == 300
        with pytest.raises(JobFailed, match="TypeError"):
            await (await speaker.mistaken.start()).result(PATIENCE)


async def test_a_thread_that_outlives_its_job_does_not_speak_for_the_next(speaker: Any, tmp_path: Path) -> None:
    async with at_work(speaker.app, concurrency=1):
        await (await speaker.haunt.start(str(tmp_path / "stop"))).result(PATIENCE)
        run = await speaker.speak.start(["mine"] * 200)
        assert await run.result(PATIENCE) == 200
        assert await run.text() == "mine" * 200
        (tmp_path / "stop").touch()
