"""A gateway of an app on a file, and a job to watch."""

import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from goatherd import Goatherd
from goatherd.model.ids import new_id
from goatherd.model.stream_token import sign
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, by_platform, queued
from goatherd.web.gateway import Gateway
from goatherd.wiring import open_events
from tests.unit.web.visitor import Visitor

SECRET = "a secret for tests alone"
#: A visit of the job of the test, by somebody who may.
Visit = Callable[..., Visitor]


@pytest.fixture
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """The app's settings; a test may give more, as the parameter of this fixture."""
    usual = {"broker_url": f"sqlite:///{tmp_path}/jobs.db", "secret": SECRET, "gateway_state_timeout": 0.2}
    return usual | getattr(request, "param", {})


@pytest.fixture
def app(settings: dict[str, Any]) -> Goatherd:
    return Goatherd("shop", **settings)


@pytest.fixture
async def gateway(app: Goatherd) -> AsyncIterator[Gateway]:
    gateway = Gateway([app])
    yield gateway
    await gateway.close()


@pytest.fixture
async def events(app: Goatherd) -> AsyncIterator[Events]:
    """The store, as a worker has it."""
    events = await open_events(app.settings, app.clock)
    yield events
    await events.close()


@pytest.fixture
def job() -> str:
    return new_id()


@pytest.fixture
async def author(events: Events, job: str) -> Author:
    """An attempt at the job, which has begun."""
    await by_platform(events, job, queued())
    author = Author(events, job)
    await author.start()
    return author


@pytest.fixture
def token(job: str) -> str:
    return sign(SECRET, "shop", job, "ada", time.time() + 900)


@pytest.fixture
async def visit(gateway: Gateway, job: str, token: str) -> AsyncIterator[Visit]:
    """Watch the job; whoever still does when the test ends is sent away."""
    visitors: list[Visitor] = []

    def begin(query: dict[str, Any] | None = None, headers: dict[str, str] | None = None, **more: Any) -> Visitor:
        allowed = {"authorization": f"Bearer {token}", **(headers or {})}
        visitors.append(Visitor(gateway, f"/shop/{job}/events", query=query, headers=allowed, **more))
        return visitors[-1]

    yield begin
    for visitor in visitors:
        visitor.task.cancel()
