"""What a process does by itself is in no trace of those who happened to be there when it began."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace

from goatherd import Goatherd, Retry
from goatherd.engine.conductor import Conductor
from goatherd.engine.outbox_relay import OutboxRelay
from tests.tracing_in_memory import Story, told


async def test_totals_begin_a_trace_of_their_own(story: Story, tmp_path: Path) -> None:
    app = Goatherd("shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(1, base=0.01))
    likes = app.tally("likes")
    failed: list[str] = []

    @likes.flush(every=0.05, queue="likes")
    async def count(key: str, total: int) -> None:
        if not failed:
            failed.append(key)
            raise ValueError("not yet")

    with story.tracer.start_as_current_span("the program"):
        async with app.serve("worker", "scheduler"):
            await likes.add("ada", 1)
            await story.until(lambda so_far: len(so_far.named("process count")) == 2)
    assert story.tree() == ["send count", "send count > process count", "send count > process count", "the program"]
    assert told(story.one("send count"), "messaging.destination.name", "goatherd.task") == ("likes", "count")


@pytest.mark.parametrize("chore", [Conductor, OutboxRelay])
async def test_what_the_first_request_sets_going_is_not_in_its_trace(
    story: Story, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, chore: type[Conductor | OutboxRelay]
) -> None:
    app = Goatherd("films", broker_url=f"sqlite:///{tmp_path}/jobs.db", retry=Retry(0))
    films = app.pipeline("films", takes=int, gives=int)
    seen: list[trace.Span] = []
    run = chore._run

    @films.step(after=films.input)
    async def cut(number: int) -> int:
        return number

    async def watched(self: Any) -> None:
        seen.append(trace.get_current_span())
        await run(self)

    monkeypatch.setattr(chore, "_run", watched)
    with story.tracer.start_as_current_span("POST /"):
        async with app, asyncio.timeout(30):
            await films.start(1)
            app.session().relay.stay()
            while not seen:
                await asyncio.sleep(0)
    assert seen == [trace.INVALID_SPAN]
