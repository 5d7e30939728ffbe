"""One try of one job: it is done, tried again, or a dead letter."""

import asyncio
import sys
import threading
from collections.abc import Callable

import pytest

from goatherd import Context, GiveUp, Goatherd, Retry, RetryLater, sync
from goatherd.model.message import FAILURES
from tests.unit.engine.stage import HandClock, at_work


async def test_an_async_task_runs_on_the_event_loop(app: Goatherd) -> None:
    seen: list[tuple[str, threading.Thread]] = []

    @app.task
    async def greet(name: str) -> None:
        seen.append((name, threading.current_thread()))

    async with at_work(app) as stage:
        await greet.send("Ada")
        await stage.saw("acked")
    assert seen == [("Ada", threading.current_thread())]


async def test_a_plain_task_runs_in_a_thread(app: Goatherd) -> None:
    seen: list[tuple[str, bool]] = []

    @app.task
    def greet(ctx: sync.Context, name: str) -> None:
        seen.append((name, threading.current_thread() is threading.main_thread()))

    async with at_work(app) as stage:
        await greet.send("Ada")
        await stage.saw("acked")
    assert seen == [("Ada", False)]


async def test_a_done_job_is_gone(app: Goatherd) -> None:
    @app.task
    async def greet() -> None: ...

    async with at_work(app) as stage:
        await greet.send()
        await stage.saw("acked")
    async with at_work(app) as stage:
        [queue] = await app.session().ports.operations.queues()
        assert (queue.ready, queue.running, queue.delayed, queue.dead) == (0, 0, 0, 0)
        assert stage.notes.counted == {}


async def test_a_job_is_tried_again_after_the_time_of_its_rule(app: Goatherd, clock: HandClock) -> None:
    attempts: list[int] = []

    @app.task(retry=Retry(2, base=10, jitter=0))
    async def flaky(ctx: Context) -> None:
        attempts.append(ctx.attempt)
        if ctx.attempt < 3:
            raise ConnectionError("gone")

    async with at_work(app) as stage:
        sent_at = clock.now()
        await flaky.send()
        await stage.saw("replaced")
        assert stage.following[-1].due == sent_at + 10
        clock.advance(10)
        await stage.saw("replaced", 2)
        assert stage.following[-1].due == sent_at + 30
        clock.advance(20)
        await stage.saw("acked")
        assert await stage.letters() == []
    assert attempts == [1, 2, 3]


async def test_after_the_last_attempt_a_job_is_a_dead_letter_with_all_that_is_known(
    app: Goatherd, clock: HandClock
) -> None:
    @app.task(retry=Retry(1, base=10, jitter=0))
    async def broken(number: int) -> None:
        raise ValueError(f"not {number}")

    async with at_work(app) as stage:
        job_id = await broken.send(7)
        await stage.saw("replaced")
        clock.advance(10)
        letter = await stage.letter()
    assert (letter.job_id, letter.task, letter.queue, letter.arguments) == (job_id, "broken", "shop", {"number": 7})
    assert (letter.reason, letter.error_type, letter.message) == ("failed", "ValueError", "not 7")
    assert (letter.attempts, letter.failed_at.timestamp()) == (2, clock.now())
    assert 'raise ValueError(f"not {number}")' in letter.traceback


async def test_a_task_may_give_up_at_once(app: Goatherd) -> None:
    @app.task(retry=Retry(3))
    async def listen() -> None:
        raise GiveUp("no sound")

    async with at_work(app) as stage:
        await listen.send()
        letter = await stage.letter()
    assert (letter.reason, letter.message, letter.attempts) == ("gave_up", "no sound", 1)


async def test_a_task_may_say_when_to_come_back_without_counting(app: Goatherd, clock: HandClock) -> None:
    attempts: list[int] = []

    @app.task
    async def patient(ctx: Context) -> None:
        attempts.append(ctx.attempt)
        if len(attempts) < 3:
            raise RetryLater(5, count=False)

    async with at_work(app) as stage:
        await patient.send()
        for turn in (1, 2):
            await stage.saw("replaced", turn)
            assert stage.following[-1].due == clock.now() + 5
            clock.advance(5)
        await stage.saw("acked")
    assert attempts == [1, 1, 1]


class Panic(BaseException):
    """As native extensions raise them."""


def exits() -> None:
    sys.exit("enough")


def panics() -> None:
    raise Panic("unwrap on None")


def stops() -> None:
    raise StopIteration


def cancels() -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize("place", ["loop", "thread"])
@pytest.mark.parametrize(
    ("misbehave", "told"),
    [
        (exits, "the task called sys.exit(enough)"),
        (panics, "the task raised Panic: unwrap on None"),
        (stops, "StopIteration"),
        (cancels, "the task was cancelled by its own code"),
    ],
)
async def test_nothing_that_a_task_raises_ends_the_worker(
    app: Goatherd, misbehave: Callable[[], None], told: str, place: str
) -> None:
    if place == "loop":

        @app.task(name="misbehave")
        async def on_loop() -> None:
            misbehave()
    else:

        @app.task(name="misbehave")
        def in_thread() -> None:
            misbehave()

    @app.task
    async def greet() -> None: ...

    async with at_work(app) as stage:
        await app.tasks["misbehave"].send()
        letter = await stage.letter()
        await greet.send()
        await stage.saw("acked")
        assert stage.notes.counted["handed back"] == 0
    assert (letter.reason, letter.error_type) == ("failed", "RuntimeError")
    assert told in letter.message
    assert f"in {misbehave.__name__}" in letter.traceback


async def test_an_error_whose_text_no_store_could_keep_is_kept(app: Goatherd) -> None:
    @app.task
    async def read() -> None:
        raise FileNotFoundError("no file 'a\udc80'")

    async with at_work(app) as stage:
        await read.send()
        letter = await stage.letter()
    assert letter.message == "no file 'a\\udc80'"


async def test_a_retry_test_that_fails_itself_does_not_go_round_for_ever(app: Goatherd, clock: HandClock) -> None:
    @app.task(retry=Retry(1, jitter=0, on=lambda error: error.code == 429))  # type: ignore[attr-defined]
    async def fetch() -> None:
        raise ConnectionError("gone")

    async with at_work(app) as stage:
        await fetch.send()
        await stage.saw("replaced")
        assert stage.following[-1].headers[FAILURES] == 1
        clock.advance(1)
        letter = await stage.letter()
    assert (letter.error_type, letter.attempts) == ("ConnectionError", 2)


async def test_a_plain_function_that_hides_a_coroutine_is_a_failure_and_not_done(app: Goatherd) -> None:
    async def hidden() -> None: ...

    @app.task
    def looks_plain() -> None:
        return hidden()  # type: ignore[return-value]

    async with at_work(app) as stage:
        await looks_plain.send()
        letter = await stage.letter()
    assert "returned a coroutine, which nobody awaits" in letter.message
