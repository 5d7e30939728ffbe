"""Stories: tracked jobs in a test, watched while the test holds the clock."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from goatherd import Context, DeadLetter, GiveUp, Goatherd, JobFailed, Retry
from goatherd.errors import JobCancelled, JobExpired, UnknownJob
from goatherd.events import Event, Failed, Retrying, Token
from goatherd.run import Run
from goatherd.testing import Herd, testing

library = Goatherd("library")
runs: list[str] = []


@library.task(retry=Retry(1, base=60, max=60, jitter=0, on=ConnectionError))
async def read(ctx: Context, book: str) -> str:
    runs.append(book)
    await ctx.progress("open", 0)
    for word in book.split():
        await ctx.token(f"{word} ")
    if book.startswith("torn") and ctx.attempt == 1:
        raise ConnectionError("torn")
    if book.startswith("lost"):
        raise GiveUp("nobody has it")
    return book.upper()


@pytest.fixture
async def herd() -> AsyncIterator[Herd]:
    runs.clear()
    async with testing(library) as opened:
        yield opened


async def told(run: Run[Any]) -> list[Event]:
    async with asyncio.timeout(10):
        return [event async for event in run.events()]


def kinds(events: list[Event]) -> list[str]:
    return [type(event).__name__ for event in events]


def text_of_last_attempt(events: list[Event]) -> str:
    last = max(place for place, event in enumerate(events) if type(event).__name__ == "Started")
    return "".join(event.text for event in events[last:] if isinstance(event, Token))


async def test_a_run_is_watched_as_in_life(herd: Herd) -> None:
    run = await read.start("moby dick")
    assert await run.status() == "queued"
    await herd.drain()
    assert await run.result() == "MOBY DICK"
    assert await run.text() == "moby dick "
    events = await told(run)
    assert kinds(events)[:3] == ["Queued", "Started", "Progress"]
    assert kinds(events)[-1] == "Done"
    assert herd.jobs(read)[0].state == "done"


async def test_a_watcher_may_be_there_first(herd: Herd) -> None:
    run = await read.start("moby dick")
    watching = asyncio.create_task(told(run))
    await herd.drain()
    assert kinds(await watching)[-1] == "Done"


async def test_a_retry_is_seen_with_its_delay(herd: Herd) -> None:
    run = await read.start("torn page")
    await herd.drain()
    assert await run.status() == "retrying"
    await herd.advance(61)
    events = await told(run)
    [again] = [event for event in events if isinstance(event, Retrying)]
    assert (again.delay, again.error) == (60, "ConnectionError: torn")
    assert text_of_last_attempt(events) == "torn page "
    assert await run.result() == "TORN PAGE"


async def test_a_worker_that_dies_leaves_no_last_word(herd: Herd) -> None:
    herd.crash(read, at="end")
    run = await read.start("moby dick")
    await herd.drain()
    events = await told(run)
    assert [kind for kind in kinds(events) if kind not in ("Token", "Progress")] == [
        "Queued", "Started", "Started", "Done",
    ]  # fmt: skip
    assert text_of_last_attempt(events) == await run.text() == "moby dick "
    assert runs == ["moby dick"] * 2


async def test_a_job_that_kills_every_worker_ends_for_its_watchers(herd: Herd) -> None:
    herd.crash(read, times=3)
    run = await read.start("moby dick")
    await herd.drain()
    with pytest.raises(JobFailed, match="3 processes died"):
        await run.result(10)


async def test_a_job_that_comes_twice_is_done_once(herd: Herd) -> None:
    herd.duplicate(read)
    run = await read.start("moby dick")
    await herd.drain()
    assert runs == ["moby dick"], "its events say that it is done"
    assert await run.result() == "MOBY DICK"
    assert herd.jobs(read)[0].state == "done"
    assert herd.jobs(read)[0].result == "MOBY DICK"


async def test_a_job_that_gives_up_has_failed(herd: Herd) -> None:
    run = await read.start("lost book")
    await herd.drain()
    with pytest.raises(JobFailed, match="nobody has it"):
        await run.result()
    [letter] = herd.dead
    assert letter.job_id == run.id


async def test_a_job_that_nobody_started_in_time_is_expired_after_the_next_drain(herd: Herd) -> None:
    run = await read.options(delay=20, deadline=10).start("moby dick")
    await herd.advance(30)
    with pytest.raises(JobExpired):
        await run.result(10)
    assert runs == []


async def test_a_job_that_is_cancelled_is_not_started(herd: Herd) -> None:
    run = await read.start("moby dick")
    assert await run.cancel()
    assert not await run.cancel()
    await herd.drain()
    assert runs == []
    with pytest.raises(JobCancelled):
        await run.result()
    assert herd.jobs(read)[0].state == "cancelled"


async def test_a_fake_is_tracked_too(herd: Herd) -> None:
    async def fake(book: str) -> str:
        return f"fake {book}"

    herd.fake(read, fake)
    run = await read.start("moby dick")
    await herd.drain()
    assert await run.result() == "fake moby dick"


async def test_unknown_jobs_are_told(herd: Herd) -> None:
    with pytest.raises(UnknownJob):
        await library.run("never heard of").status()


async def test_an_app_with_a_hook_notes_the_ends_that_its_broker_made() -> None:
    press = Goatherd("press")
    heard: list[str] = []

    @press.on_dead_letter
    async def hear(letter: DeadLetter) -> None:
        heard.append(letter.reason)

    @press.task
    async def print_it() -> None: ...

    async with testing(press) as t:
        run = await print_it.options(delay=20, deadline=10).start()
        await t.advance(30)
        *_, last = await told(run)
        assert isinstance(last, Failed)
        assert last.reason == "expired"
        assert heard == ["expired"]
