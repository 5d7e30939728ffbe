"""A stream is seen in the trace of its job, and nobody who watches pays for that."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd, Retry, Task, Unavailable
from goatherd.model.stream_token import sign
from goatherd.web import tracing
from goatherd.web.gateway import Gateway
from tests.tracing_in_memory import Story
from tests.unit.web.visitor import Visitor

SECRET = "a secret for tests alone"


@pytest.fixture
async def work(tmp_path: Path, story: Story) -> AsyncIterator[Task[[], None]]:
    """A task that nobody does."""
    app = Goatherd(
        "shop", broker_url=f"sqlite:///{tmp_path}/jobs.db", secret=SECRET, retry=Retry(0), gateway_keepalive=0.1
    )

    @app.task
    async def work() -> None: ...

    async with app:
        yield work


@pytest.fixture
async def gateway(work: Task[[], None]) -> AsyncIterator[Gateway]:
    made = Gateway([work.app])
    yield made
    await made.close()


async def watched(work: Task[[], None], gateway: Gateway) -> Visitor:
    job_id = (await work.start()).id
    token = sign(SECRET, "shop", job_id, "ada", work.app.clock.now() + 900)
    return Visitor(gateway, f"/shop/{job_id}/events", headers={"authorization": f"Bearer {token}"})


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Set when the trace of a stream may be looked for."""
    may_look, trace_of = asyncio.Event(), tracing._trace_of

    async def slow(*asked: Any) -> Any:
        await may_look.wait()
        return await trace_of(*asked)

    monkeypatch.setattr(tracing, "_trace_of", slow)
    return may_look


async def test_a_client_does_not_wait_for_its_trace(
    story: Story, work: Task[[], None], gateway: Gateway, found: asyncio.Event
) -> None:
    visitor = await watched(work, gateway)
    await visitor.told("queued")
    found.set()
    await visitor.told("keepalive")
    await visitor.leave()
    assert story.tree() == ["start work", "start work > stream shop"]


async def test_a_client_is_served_whose_trace_cannot_be_found(
    story: Story,
    work: Task[[], None],
    gateway: Gateway,
    found: asyncio.Event,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    visitor = await watched(work, gateway)
    await visitor.told("queued")

    async def away(*_: Any) -> Any:
        raise Unavailable("the store is away")

    monkeypatch.setattr((await gateway.place.sources.of(work.app)).events, "read", away)
    found.set()
    await visitor.told("keepalive")
    await visitor.leave()
    assert story.tree() == ["start work", "stream shop"]
    assert "its stream is not seen in it: the store is away" in caplog.text
