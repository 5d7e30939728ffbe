"""The worker's side: what becomes of a job goes to the one who waits for it, and nowhere else."""

import asyncio
import importlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from goatherd import GiveUp, Goatherd, Retry, RetryLater
from goatherd.errors import JobFailed
from goatherd.sync import Context as BlockingContext
from tests.unit.engine import program as program_module
from tests.unit.engine.asker import answered, ended
from tests.unit.engine.stage import at_work


class Odd:
    """No JSON can hold it."""


async def test_the_result_comes_back_as_its_type(app: Goatherd) -> None:
    @app.task
    async def pair(number: int) -> tuple[int, set[str]]:
        return number, {"a"}

    async with at_work(app) as stage:
        assert await pair.call(7) == (7, {"a"})
        await stage.saw("acked", 2)
    assert (answered(app), ended(app)) == ({"given": 1}, {"done": 1})


async def test_plain_functions_answer_too(app: Goatherd) -> None:
    @app.task
    def thread_name(ctx: BlockingContext) -> tuple[str, bool]:
        return threading.current_thread().name, ctx.remaining is not None

    async with at_work(app):
        name, limited = await thread_name.call()
    assert name != threading.current_thread().name
    assert limited, "the deadline of a call is the time-out of its work"


async def test_a_child_process_answers_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOATHERD_BROKER_URL", f"sqlite:///{tmp_path}/jobs.db")
    program = importlib.reload(program_module)
    async with at_work(program.app):
        assert await program.what_is_prepared.call() == ["ready"]


async def test_many_calls_at_once_get_each_their_own(app: Goatherd) -> None:
    @app.task
    async def double(number: int) -> int:
        await asyncio.sleep(0)
        return 2 * number

    async with at_work(app):
        assert await asyncio.gather(*(double.call(number) for number in range(300))) == [
            2 * number for number in range(300)
        ]
    assert answered(app) == {"given": 300}


async def test_a_failure_comes_back_with_its_type_text_and_traceback(app: Goatherd) -> None:
    @app.task
    async def broken() -> None:
        raise LookupError("no such goat")

    async with at_work(app) as stage:
        with pytest.raises(JobFailed) as caught:
            await broken.options(id="j").call()
        assert await stage.letters() == []
    error = caught.value
    assert (error.job_id, error.error_type, error.message) == ("j", "LookupError", "no such goat")
    assert 'raise LookupError("no such goat")' in error.traceback
    assert "runner.py" not in error.traceback, "frames of the engine help nobody"
    assert (answered(app), ended(app)) == ({"given": 1}, {"failed": 1})


RAISED = {
    "an error that a rule would repeat": (lambda: ConnectionError("no route"), "ConnectionError", "no route"),
    "later": (lambda: RetryLater(60), "RetryLater", "the task asked to be tried later"),
    "later, not counted": (lambda: RetryLater(0, "soon", count=False), "RetryLater", "soon"),
    "given up": (lambda: GiveUp("no sound"), "GiveUp", "no sound"),
    "the end of the process": (lambda: SystemExit(3), "RuntimeError", "the task called sys.exit(3)"),
    "its own cancellation": (asyncio.CancelledError, "RuntimeError", "the task was cancelled by its own code"),
    "text that UTF-8 has not": (lambda: ValueError("\udcff"), "ValueError", "\\udcff"),
}


@pytest.mark.parametrize("raised", RAISED.values(), ids=RAISED)
async def test_a_call_is_neither_retried_nor_kept(
    app: Goatherd, raised: tuple[Callable[[], BaseException], str, str]
) -> None:
    make, error_type, message = raised
    ran: list[int] = []

    @app.task(retry=Retry(3, base=0))
    async def broken() -> None:
        ran.append(1)
        raise make()

    async with at_work(app) as stage:
        with pytest.raises(JobFailed) as caught:
            await broken.call()
        await stage.saw("acked", 2)
        assert await stage.letters() == []
    assert (caught.value.error_type, caught.value.message, ran) == (error_type, message, [1])
    assert (stage.following, ended(app)) == ([], {"failed": 1})


async def test_the_same_task_is_retried_when_nobody_waits(app: Goatherd) -> None:
    @app.task(retry=Retry(2, base=0))
    async def broken() -> None:
        raise ValueError

    async with at_work(app) as stage:
        await broken.send()
        assert (await stage.letter()).attempts == 3


async def test_a_time_out_of_the_attempt_is_the_callers_failure(app: Goatherd) -> None:
    @app.task(timeout=0.01)
    async def slow() -> None:
        await asyncio.Event().wait()

    async with at_work(app):
        with pytest.raises(JobFailed, match=r"TimeoutError: the attempt took longer than its time-out of 0\.01 s"):
            await slow.call()


async def test_a_result_that_cannot_be_written_is_a_failure(app: Goatherd) -> None:
    @app.task
    async def odd() -> Any:
        return Odd()

    async with at_work(app) as stage:
        with pytest.raises(JobFailed, match="its result cannot be written as JSON") as caught:
            await odd.call()
        assert await stage.letters() == []
    assert "a Odd cannot be written" in caught.value.message
    assert ended(app) == {"failed": 1}


async def test_a_result_of_another_type_than_promised_is_a_failure(app: Goatherd) -> None:
    @app.task
    async def count() -> int:
        return "many"  # type: ignore[return-value]  # what this is about

    async with at_work(app):
        with pytest.raises(JobFailed, match="the answer is not what 'count' returns: Expected `int`, got `str`"):
            await count.call()


async def test_a_number_that_json_has_not_is_not_silently_lost(app: Goatherd) -> None:
    @app.task
    async def measure() -> float | None:
        return float("nan")

    async with at_work(app):
        with pytest.raises(JobFailed, match="NaN"):
            await measure.call()
