"""Many jobs at once, on the loop, in threads and from threads: each stays in its own trace."""

import asyncio
import threading
from pathlib import Path

import pytest
from opentelemetry.trace import StatusCode

from goatherd import Goatherd, Retry
from goatherd.adapters.opentelemetry.spans import OpenSpan
from goatherd.model.verdict import Again, Answered, HandedBack, Verdict
from goatherd.sync import blocking
from tests.tracing_in_memory import Story, told

COMPANY = 12


def test_jobs_at_once_are_not_taken_for_each_other(story: Story, tmp_path: Path) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0), concurrency=64)
    # All of them have begun before any of them goes on.
    in_threads, on_loop = threading.Barrier(COMPANY // 2), asyncio.Barrier(COMPANY // 2)

    @app.task
    def leaf(number: int) -> int:
        story.tracer.start_span(f"at {number}").end()
        return number

    @app.task
    def in_a_thread(number: int) -> int:
        in_threads.wait(30)
        return blocking(leaf).call(number)

    @app.task
    async def on_the_loop(number: int) -> int:
        async with asyncio.timeout(30):
            await on_loop.wait()
        return await leaf.call(number)

    def request(number: int) -> None:
        with story.tracer.start_as_current_span(f"GET {number}"):
            task = in_a_thread if number % 2 else on_the_loop
            blocking(task).options(deadline=60).call(number)

    with blocking(app).serve("worker"):
        requests = [threading.Thread(target=request, args=[number]) for number in range(COMPANY)]
        for each in requests:
            each.start()
        for each in requests:
            each.join(60)
    assert [path for path in story.tree() if " > at " in path] == sorted(
        f"GET {number} > call {name} > process {name} > call leaf > process leaf > at {number}"
        for number in range(COMPANY)
        for name in ["in_a_thread" if number % 2 else "on_the_loop"]
    )
    assert story.traces == COMPANY


@pytest.mark.parametrize(
    ("verdict", "outcome", "error_type", "status"),
    [
        (Again(delay=1, failures=1, why="ValueError: no: never"), "retried", "ValueError", StatusCode.ERROR),
        # Each has another number, and those who count errors by type cannot have a type for each.
        (Again(delay=0, failures=0, why="its process (pid 7) was killed"), "retried", "_OTHER", StatusCode.ERROR),
        (Answered(outcome="failed", why="KeyError: 'a'"), "failed", "KeyError", StatusCode.ERROR),
        (Answered(outcome="expired", why="its deadline passed"), "expired", None, StatusCode.UNSET),
        (HandedBack(), "handed_back", None, StatusCode.UNSET),
    ],
)
def test_how_an_attempt_ended(
    story: Story, verdict: Verdict, outcome: str, error_type: str | None, status: StatusCode
) -> None:
    span = OpenSpan(story.tracer.start_span("process work"))
    span.ended(verdict)
    span.end()
    recorded = story.one("process work")
    assert told(recorded, "goatherd.outcome", "error.type") == (outcome, error_type)
    assert recorded.status.status_code is status


def test_an_error_that_cannot_speak_is_told_all_the_same(story: Story) -> None:
    class Speechless(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    span = OpenSpan(story.tracer.start_span("send work"))
    span.failed(Speechless())
    span.end()
    assert told(story.one("send work"), "error.type") == ("Speechless",)
