"""What an attempt tells is written in order, together where that is better, and never at the cost of the work."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from goatherd.engine import emitter as emitter_module
from goatherd.engine import emitters as emitters_module
from goatherd.engine import unwritten
from goatherd.engine.telling import FromThread
from goatherd.model.event import Done, Progress, Retrying
from tests.unit.engine.event_desk import Desk, desk_on, in_time

DONE = Done(attempt=1, at=1.0, result=msgspec.Raw(b"7"))


@pytest.fixture
async def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Desk]:
    monkeypatch.setattr(emitters_module, "AGAIN_AFTER", 0.01)
    async with desk_on(tmp_path) as (opened, _):
        yield opened


# --- together ------------------------------------------------------------------------------------------------------


async def test_the_first_word_after_a_silence_is_written_at_once_and_those_after_it_together(desk: Desk) -> None:
    emitter = await desk.begun()
    emitter.token("a", "answer")
    await desk.saw("appended", 2)
    for piece in "bcd":
        emitter.token(piece, "answer")
    assert await desk.words() == ["started 1", "answer: a"], "the rest waits for the end of its window"
    assert await emitter.written()
    assert await desk.words() == ["started 1", "answer: a", "answer: bcd"]


async def test_a_window_ends_by_itself(tmp_path: Path) -> None:
    async with desk_on(tmp_path, window=0.02) as (desk, _):
        emitter = await desk.begun()
        emitter.token("a", "answer")
        emitter.token("b", "answer")
        await desk.saw("appended", 3)
        assert await desk.words() == ["started 1", "answer: a", "answer: b"]


async def test_without_a_window_every_token_is_written_as_it_comes(tmp_path: Path) -> None:
    async with desk_on(tmp_path, window=0.0) as (desk, _):
        emitter = await desk.begun()
        for piece in "abc":
            emitter.token(piece, "answer")
        assert await emitter.written()
        assert await desk.words() == ["started 1", "answer: a", "answer: b", "answer: c"]


async def test_much_text_does_not_wait_for_its_window(desk: Desk) -> None:
    emitter = await desk.begun()
    emitter.token("a", "answer")
    await desk.saw("appended", 2)
    emitter.token("b" * unwritten.LARGEST_TOKEN, "answer")
    await desk.saw("appended", 3)
    assert len((await desk.words())[-1]) > unwritten.LARGEST_TOKEN


async def test_a_stage_comes_after_the_text_before_it_and_takes_it_along(desk: Desk) -> None:
    emitter = await desk.begun()
    emitter.token("a", "answer")
    await desk.saw("appended", 2)
    emitter.token("b", "answer")
    emitter.token("c", "thought")
    emitter.progress("render", 50, "running", {"page": 3})
    await desk.saw("appended", 3)
    assert await desk.words() == ["started 1", "answer: a", "answer: b", "thought: c", "render"]
    event = (await desk.log())[-1]
    assert isinstance(event, Progress)
    assert (event.percent, event.status, event.fields) == (50, "running", {"page": 3})


# --- a store that is slow, away, or loses its answers ---------------------------------------------------------------


async def test_a_slow_store_slows_down_whoever_tells_too_much(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unwritten, "MOST_EVENTS", 5)
    emitter = await desk.begun()
    desk.store.answers.clear()
    for number in range(4):
        emitter.progress(f"stage {number}", None, "", {})
        await in_time(emitter.room())
    emitter.progress("one too many", None, "", {})
    waiting = asyncio.create_task(emitter.room())
    await desk.saw("asked", 2)
    await asyncio.sleep(0)
    assert not waiting.done()
    desk.store.answers.set()
    await in_time(waiting)
    assert await emitter.written()
    assert len(await desk.words()) == 6


async def test_whoever_waits_for_a_slow_store_goes_on_when_it_fails(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unwritten, "MOST_EVENTS", 2)
    emitter = await desk.begun()
    desk.store.answers.clear()
    emitter.progress("a", None, "", {})
    emitter.progress("b", None, "", {})
    waiting = asyncio.create_task(emitter.room())
    await desk.saw("asked", 2)
    desk.store.away = True
    desk.store.answers.set()
    await in_time(waiting)


async def test_a_job_goes_on_while_the_store_is_away_and_all_is_written_later(desk: Desk) -> None:
    emitter = await desk.begun()
    desk.store.away = True
    for number in range(200):
        emitter.progress(f"stage {number}", None, "", {})
        emitter.token(f"{number} ", "answer")
        await in_time(emitter.room())
    await desk.saw("asked", 4)
    desk.store.away = False
    assert await in_time(emitter.written())
    assert await desk.text() == "".join(f"{number} " for number in range(200))
    stages = [event.stage for event in await desk.log() if isinstance(event, Progress)]
    assert stages == [f"stage {number}" for number in range(200)]
    assert desk.lost == {}


async def test_what_cannot_be_kept_is_counted_and_the_text_and_the_end_are_right(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unwritten, "MOST_EVENTS", 10)
    emitter = await desk.begun()
    desk.store.away = True
    told = 0
    while not desk.lost or told < 40:
        emitter.progress(f"stage {told}", None, "", {})
        emitter.token(f"{told} ", "answer")
        told += 1
        await asyncio.sleep(0)
    emitter.end(DONE)
    desk.store.away = False
    assert await in_time(emitter.written())
    assert await desk.text() == "".join(f"{number} " for number in range(told))
    log = await desk.log()
    kept = [event.stage for event in log if isinstance(event, Progress)]
    assert kept == [f"stage {number}" for number in range(told - len(kept), told)]
    assert len(kept) + desk.lost["store away"] == told
    assert isinstance(log[-1], Done)


async def test_answers_that_are_lost_double_nothing(desk: Desk) -> None:
    emitter = await desk.begun()
    desk.store.loses_answers = True
    emitter.progress("first", None, "", {})
    emitter.token("a", "answer")
    await desk.saw("appended", 4)
    emitter.progress("second", None, "", {})
    await desk.saw("appended", 8)
    desk.store.loses_answers = False
    assert await in_time(emitter.written())
    assert await desk.words() == ["started 1", "first", "answer: a", "second"]


async def test_a_store_that_was_emptied_gets_the_whole_in_one(desk: Desk) -> None:
    emitter = await desk.begun()
    emitter.progress("fetch", 10, "", {})
    emitter.token("all ", "answer")
    assert await emitter.written()
    await desk.store.forget(desk.job)
    emitter.token("of it", "answer")
    assert await emitter.written()
    assert await desk.words() == ["[fetch] all ", "answer: of it"]
    assert await desk.text() == "all of it"


async def test_what_an_adapter_cannot_write_does_not_cost_the_end(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    emitter = await desk.begun()
    desk.store.answers.clear()
    desk.store.breaks = lambda append: any(isinstance(event, Progress) for event in append.events)
    emitter.token("a", "answer")
    await desk.saw("asked", 2)
    emitter.progress("poison", None, "", {})
    emitter.token("b", "answer")
    emitter.end(DONE)
    desk.store.answers.set()
    assert await in_time(emitter.written())
    assert await desk.text() == "ab"
    assert isinstance((await desk.log())[-1], Done)
    assert desk.lost == {"fault": 2}
    assert "fault of Goatherd" in caplog.text


# --- limits and mistakes -------------------------------------------------------------------------------------------


async def test_a_text_without_end_is_cut_and_said_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(emitter_module, "LONGEST_TEXT", 10)
    emitter = await desk.begun()
    for piece in ("12345", "6789", "äö", "x", "y"):
        emitter.token(piece, "answer")
    emitter.progress("goes on", None, "", {})
    assert await emitter.written()
    assert await desk.text() == "123456789"
    assert (await desk.words())[-1] == "goes on"
    assert desk.lost == {"too long": 3}
    assert caplog.text.count("the rest is not kept") == 1


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"stage": "a\udc80"}, ValueError),
        ({"status": "a\udc80"}, ValueError),
        ({"percent": float("nan")}, ValueError),
        ({"percent": "half"}, TypeError),
        ({"fields": {"what": object()}}, TypeError),
        ({"fields": {"what": "a\udc80"}}, ValueError),
    ],
)
async def test_a_stage_that_cannot_be_written_is_refused_where_it_is_told(
    desk: Desk, wrong: dict[str, Any], error: type[Exception]
) -> None:
    emitter = await desk.begun()
    with pytest.raises(error):
        emitter.progress(**{"stage": "s", "percent": None, "status": "", "fields": {}, **wrong})
    emitter.progress("fine", None, "", {})
    assert await emitter.written()
    assert await desk.words() == ["started 1", "fine"]


async def test_text_that_is_none_is_refused_where_it_is_told(desk: Desk) -> None:
    emitter = await desk.begun()
    for wrong, node, error in ((b"x", "a", TypeError), ("a\udc80", "a", ValueError), ("x", "a\udc80", ValueError)):
        with pytest.raises(error):
            emitter.token(wrong, node)  # type: ignore[arg-type]  # that is the point
    emitter.token("", "answer")
    emitter.token("x", 5)  # type: ignore[arg-type]  # whatever it is, it is read again as text
    assert await emitter.written()
    assert await desk.words() == ["started 1", "5: x"]


# --- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", [DONE, Retrying(attempt=1, at=1.0, error="E", delay=0)])
async def test_nobody_is_heard_after_the_end(desk: Desk, last: Done | Retrying) -> None:
    emitter = await desk.begun()
    emitter.end(last)
    emitter.token("a thread that runs on", "answer")
    emitter.progress("too late", None, "", {})
    assert await emitter.written()
    assert await desk.words() == ["started 1", type(last).__name__.lower()]


async def test_threads_tell_in_order(desk: Desk) -> None:
    emitter = await desk.begun()
    teller = FromThread(emitter)

    def work() -> None:
        for number in range(350):
            teller.token(f"{number} ", "answer")
            if number % 70 == 0:
                teller.progress(f"stage {number}", None, "", {})

    await in_time(asyncio.to_thread(work))
    assert await emitter.written()
    assert await desk.text() == "".join(f"{number} " for number in range(350))


async def test_a_thread_gets_its_mistake_back(desk: Desk) -> None:
    teller = FromThread(await desk.begun())
    for wrong in ((b"x", "answer"), ("a\udc80", "answer")):
        with pytest.raises((TypeError, ValueError)):
            await asyncio.to_thread(teller.token, *wrong)
    with pytest.raises(ValueError, match="no number"):
        await asyncio.to_thread(teller.progress, "s", float("inf"), "", {})
