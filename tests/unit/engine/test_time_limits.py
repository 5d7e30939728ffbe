"""Time-outs and deadlines: code is really stopped, and what nobody wants is never started."""

import asyncio
import threading

import pytest

from goatherd import Context, Goatherd, Retry, sync
from goatherd.engine.cutoff import Cutoff
from tests.unit.engine.stage import HandClock, Notes, at_work, opened


async def test_an_attempt_that_takes_too_long_is_cancelled_and_counts_as_a_timeout(app: Goatherd) -> None:
    notes = Notes()

    @app.task(timeout=0.05)
    async def slow() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            notes("cancelled")
            raise

    async with at_work(app) as stage:
        await slow.send()
        letter = await stage.letter()
    assert notes.counted["cancelled"] == 1
    assert (letter.reason, letter.error_type) == ("failed", "TimeoutError")
    assert letter.message == "the attempt took longer than its time-out of 0.05 s"


async def test_a_timeout_is_tried_again_like_any_error_that_passes(app: Goatherd, clock: HandClock) -> None:
    @app.task(timeout=0.05, retry=Retry(1, on=TimeoutError, jitter=0))
    async def slow(ctx: Context) -> None:
        if ctx.attempt == 1:
            await asyncio.Event().wait()

    async with at_work(app) as stage:
        await slow.send()
        await stage.saw("replaced")
        clock.advance(1)
        await stage.saw("acked")


async def test_code_that_swallows_the_first_cancellation_meets_the_next(
    app: Goatherd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("goatherd.engine.cutoff.AGAIN_AFTER", 0.02)
    swallowed: list[int] = []

    @app.task(timeout=0.02)
    async def stubborn() -> None:
        while len(swallowed) < 2:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                swallowed.append(1)
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        await stubborn.send()
        letter = await stage.letter()
    assert (len(swallowed), letter.error_type) == (2, "TimeoutError")


async def test_code_that_ends_well_although_it_was_told_to_stop_is_done(app: Goatherd) -> None:
    @app.task(timeout=0.02)
    async def tidy() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return

    async with at_work(app) as stage:
        await tidy.send()
        await stage.saw("acked")


async def test_a_thread_is_told_that_its_time_is_up(app: Goatherd) -> None:
    told, seen = threading.Event(), threading.Event()

    @app.task(timeout=0.05)
    def slow(ctx: sync.Context) -> None:
        told.wait(20)
        if ctx.cancelled:
            seen.set()

    async with at_work(app) as stage:
        await slow.send()
        letter = await stage.letter()
        told.set()
        assert await asyncio.to_thread(seen.wait, 20)
    assert letter.error_type == "TimeoutError"


async def test_a_job_whose_deadline_has_passed_is_never_started(app: Goatherd, clock: HandClock) -> None:
    started: list[int] = []

    @app.task
    async def late(number: int) -> None:
        started.append(number)

    async with opened(app):
        await late.options(deadline=5).send(1)
        await late.options(deadline=50).send(2)
        clock.advance(6)
    async with at_work(app) as stage:
        await stage.saw("acked")
        [letter] = await stage.letters()
    assert started == [2]
    assert (letter.reason, letter.attempts, letter.arguments) == ("expired", 0, {"number": 1})


async def test_a_deadline_inside_of_a_foreign_envelope_holds_too(app: Goatherd) -> None:
    started: list[int] = []

    @app.task
    async def late() -> None:
        started.append(1)

    async with at_work(app) as stage:
        body = b'{"task_id": "7", "step": "late", "deadline": "2020-01-01T00:00:00Z", "payload": {}}'
        await stage.publish("shop", body)
        letter = await stage.letter()
    assert (started, letter.reason) == ([], "expired")
    assert "before a worker could start it" in letter.message


@pytest.mark.usefixtures("clock")
async def test_a_deadline_cuts_a_running_attempt(app: Goatherd) -> None:
    remaining: list[float | None] = []

    @app.task(timeout=60, retry=Retry(3))
    async def slow(ctx: Context) -> None:
        remaining.append(ctx.remaining)
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        await slow.options(deadline=0.05).send()
        letter = await stage.letter()
    assert (letter.reason, letter.message) == ("expired", "its deadline passed while it ran")
    assert remaining == [pytest.approx(0.05, abs=1e-6)]


async def test_a_job_that_waited_for_its_turn_past_its_deadline_is_not_started(app: Goatherd, clock: HandClock) -> None:
    started: list[str] = []
    running, go_on = asyncio.Event(), asyncio.Event()

    @app.task(concurrency=1)
    async def one_at_a_time(name: str) -> None:
        started.append(name)
        running.set()
        await go_on.wait()

    async with at_work(app) as stage:
        await one_at_a_time.send("first")
        await running.wait()
        await one_at_a_time.options(deadline=5).send("second")
        await one_at_a_time.send("third")
        await stage.saw("delivered", 3)
        clock.advance(6)
        go_on.set()
        letter = await stage.letter()
        await stage.saw("acked", 2)
    assert started == ["first", "third"]
    assert (letter.reason, letter.attempts) == ("expired", 0)


@pytest.mark.usefixtures("clock")
async def test_the_tasks_own_deadline_is_the_default(app: Goatherd) -> None:
    @app.task(deadline=0.05)
    async def slow() -> None:
        await asyncio.Event().wait()

    async with at_work(app) as stage:
        await slow.send()
        assert (await stage.letter()).reason == "expired"


# --- the cut-off by itself ------------------------------------------------------------------------------------------


async def test_a_cutoff_does_not_touch_code_that_is_quick() -> None:
    with Cutoff(10, "quick") as cutoff:
        await asyncio.sleep(0)
    assert not cutoff.expired
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0


async def test_a_cancellation_by_others_leaves_the_block() -> None:
    async def cut() -> None:
        with Cutoff(0, "both"):
            await asyncio.Event().wait()

    task = asyncio.create_task(cut())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_another_error_leaves_the_block_as_it_is() -> None:
    async def moody() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise KeyError from None

    with pytest.raises(KeyError), Cutoff(0, "moody"):
        await moody()
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0
