"""The attempts of a worker begin, stay known and come to their ends, whatever the store does."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from goatherd.engine import emitters as emitters_module
from goatherd.engine.emitter import Emitter
from goatherd.model.admission import Append
from goatherd.model.event import Done, Event, Failed, FailedReason, Queued, Retrying
from tests.unit.engine.event_desk import Desk, desk_on, in_time
from tests.unit.engine.stage import HandClock

TTL = 60.0


def done(attempt: int = 1) -> Done:
    return Done(attempt=attempt, at=1.0, result=msgspec.Raw(b"7"))


def failed(reason: FailedReason = "failed", attempt: int = 0) -> Failed:
    return Failed(attempt=attempt, at=1.0, reason=reason, error="E", message="m")


def retrying(delay: float) -> Retrying:
    return Retrying(attempt=1, at=1.0, error="E", delay=delay)


@pytest.fixture
async def desk_and_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Desk, HandClock]]:
    monkeypatch.setattr(emitters_module, "AGAIN_AFTER", 0.01)
    async with desk_on(tmp_path, ttl=TTL) as opened:
        yield opened


@pytest.fixture
def desk(desk_and_clock: tuple[Desk, HandClock]) -> Desk:
    return desk_and_clock[0]


@pytest.fixture
def clock(desk_and_clock: tuple[Desk, HandClock]) -> HandClock:
    return desk_and_clock[1]


async def say(desk: Desk, event: Event) -> None:
    await desk.store.append(desk.job, Append(events=[event]))


# --- the beginning -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("end", "seen"), [(done(0), "done"), (failed("cancelled"), "cancelled")])
async def test_a_job_that_is_done_or_cancelled_is_not_begun_again(desk: Desk, end: Event, seen: str) -> None:
    await say(desk, Queued(attempt=0, at=1.0))
    await say(desk, end)
    assert await desk.emitters.begin(desk.job, 1) == seen
    assert await desk.words() == ["queued", type(end).__name__.lower()], "and nothing is written"


@pytest.mark.parametrize("reason", ["failed", "expired", "lost"])
async def test_a_job_that_failed_and_comes_again_begins_anew(desk: Desk, reason: FailedReason) -> None:
    await say(desk, Queued(attempt=0, at=1.0))
    await say(desk, failed(reason))
    before = await desk.state()
    emitter = await desk.begun()
    emitter.progress("again", None, "", {})
    await desk.emitters.end(emitter, done())
    assert await desk.words() == ["queued", "started 1", "again", "done"]
    after = await desk.state()
    assert before is not None
    assert after is not None
    assert after.epoch != before.epoch, "whoever saw the end sees that this is another story"


async def test_a_store_that_is_away_delays_no_beginning_and_is_told_later(desk: Desk) -> None:
    desk.store.away = True
    first, second = await in_time(desk.begun()), desk.job
    desk.job = "j2"
    other = await in_time(desk.begun())
    desk.store.away = False
    assert await in_time(other.written())
    assert await in_time(first.written())
    assert await desk.words() == ["started 1"]
    desk.job = second
    assert await desk.words() == ["started 1"]


async def test_a_store_that_hangs_delays_a_beginning_by_a_moment_only(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emitters_module, "FIRST_WORD", 0.01)
    await desk.begun()
    desk.store.answers.clear()
    emitter = await in_time(desk.begun())
    desk.store.answers.set()
    assert await in_time(emitter.written())


async def test_the_first_of_all_beginnings_waits_until_the_store_is_open(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that is done already must not be done again because a new worker is still loading its driver."""
    monkeypatch.setattr(emitters_module, "FIRST_WORD", 0.0)
    await say(desk, done(0))
    desk.store.answers.clear()
    beginning = asyncio.create_task(desk.emitters.begin(desk.job, 1))
    await desk.saw("asked", 2)
    await asyncio.sleep(0.05)
    monkeypatch.undo()
    desk.store.answers.set()
    assert await in_time(beginning) == "done"


# --- two who have the same job -------------------------------------------------------------------------------------


async def test_one_that_was_overtaken_writes_no_more_but_its_end_counts(desk: Desk) -> None:
    zombie, later = await desk.begun(), await desk.begun()
    stopped = asyncio.Event()
    later.when_closed = stopped.set
    zombie.token("from the dead", "answer")
    assert not await zombie.written()
    later.token("alive", "answer")
    assert await later.written()
    await desk.emitters.end(zombie, done())
    assert await desk.words() == ["started 1", "started 1", "answer: alive", "done"]
    assert (await desk.log())[-1].attempt == 0, "it is the platform's word about the whole job"
    later.progress("goes on", None, "", {})
    await in_time(stopped.wait())
    await desk.emitters.end(later, done())
    assert (await desk.words())[-1] == "done"


async def test_one_that_was_overtaken_says_nothing_of_another_try(desk: Desk) -> None:
    zombie, later = await desk.begun(), await desk.begun()
    zombie.token("x", "answer")
    await desk.emitters.end(zombie, retrying(5))
    assert await desk.words() == ["started 1", "started 1"]
    await desk.emitters.end(later, done())


async def test_an_end_that_came_twice_is_the_first(desk: Desk) -> None:
    emitter = await desk.begun()
    await say(desk, failed("cancelled"))
    await desk.emitters.end(emitter, done())
    state = await desk.state()
    assert state is not None
    assert state.status == "cancelled"


# --- the store is away ---------------------------------------------------------------------------------------------


async def test_one_asks_at_a_time_while_the_store_is_away(desk: Desk) -> None:
    emitters = []
    for number in range(20):
        desk.job = f"j{number}"
        emitters.append(await desk.begun())
    desk.store.away = True
    emitters[0].progress("first to notice", None, "", {})
    await desk.saw("asked", 22)
    desk.store.most_asking = 0
    for emitter in emitters:
        emitter.progress("all of them", None, "", {})
    await desk.saw("asked", 26)
    assert desk.store.most_asking == 1
    desk.store.away = False
    for emitter in emitters:
        assert await in_time(emitter.written())


async def test_last_words_are_written_when_the_store_is_back(desk: Desk) -> None:
    emitter = await desk.begun()
    desk.store.away = True
    emitter.progress("noticed", None, "", {})
    await desk.saw("asked", 3)
    await in_time(desk.emitters.end(emitter, done()))
    assert await desk.words() == ["started 1"], "the job is settled without waiting for that"
    desk.store.away = False
    await in_time(emitter.written())
    assert await desk.words() == ["started 1", "noticed", "done"]
    await desk.emitters.close(5)
    assert desk.lost == {}


async def test_a_store_that_hangs_delays_an_end_by_a_moment_only(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitters_module, "LAST_WORD", 0.01)
    emitter = await desk.begun()
    desk.store.answers.clear()
    await in_time(desk.emitters.end(emitter, done()))
    assert await desk.words() == ["started 1"]
    desk.store.answers.set()
    await in_time(desk.emitters.close(20))
    assert await desk.words() == ["started 1", "done"]


async def test_what_cannot_be_written_before_the_worker_ends_is_counted_and_said(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    emitter = await desk.begun()
    desk.store.away = True
    emitter.token("a", "answer")
    emitter.progress("b", None, "", {})
    await desk.saw("asked", 3)
    await desk.emitters.end(emitter, done())
    await in_time(desk.emitters.close(0.02))
    assert desk.lost == {"store away": 3}
    assert "3 events" in caplog.text


async def test_ends_that_wait_are_bounded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitters_module, "MOST_LEFT", 2)
    emitters = []
    for number in range(3):
        desk.job = f"j{number}"
        emitters.append(await desk.begun())
    desk.store.away = True
    for emitter in emitters:
        await desk.emitters.end(emitter, done())
    assert desk.lost == {"store away": 1}


async def test_a_dead_letter_that_cannot_be_noted_is_counted(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    desk.store.away = True
    await in_time(desk.emitters.note(desk.job, failed()))
    assert desk.lost == {"store away": 1}
    assert desk.job in caplog.text


# --- how long a job is known ---------------------------------------------------------------------------------------


async def test_a_job_that_works_without_a_word_is_kept(tmp_path: Path) -> None:
    async with desk_on(tmp_path, ttl=0.3) as (desk, clock):
        await desk.begun()
        for times in range(1, 6):
            await desk.saw("kept", times)
            clock.advance(0.2)
        assert await desk.state() is not None, "more than three times as long as its events are kept"


async def test_a_job_that_has_ended_is_not_kept_for_ever(tmp_path: Path) -> None:
    async with desk_on(tmp_path, ttl=0.3) as (desk, clock):
        emitter = await desk.begun()
        await desk.saw("kept")
        await desk.emitters.end(emitter, done())
        clock.advance(0.4)
        assert await desk.state() is None


async def test_keeping_outlasts_a_store_that_is_away(tmp_path: Path) -> None:
    async with desk_on(tmp_path, ttl=0.1) as (desk, _):
        emitter = await desk.begun()
        assert isinstance(emitter, Emitter)
        desk.store.away = True
        await desk.saw("asked to keep", 2)
        desk.store.away = False
        await desk.saw("kept")


async def test_a_job_that_waits_long_for_its_next_attempt_is_known_until_then(desk: Desk, clock: HandClock) -> None:
    emitter = await desk.begun()
    await desk.emitters.end(emitter, retrying(10_000))
    clock.advance(10_000 + TTL - 1)
    state = await desk.state()
    assert state is not None
    assert state.status == "retrying"
    clock.advance(2)
    assert await desk.state() is None
