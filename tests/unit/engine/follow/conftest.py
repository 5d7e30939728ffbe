"""What tests of followers stand on: a store in memory that tells its events, or one in a file, which only rings."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from goatherd.engine.subscriptions import Subscriptions
from goatherd.model.admission import Append, Outcome
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.event_store import Author, by_platform, queued
from goatherd.wiring import open_events
from tests.unit.engine.follow.leaky_store import LeakyStore
from tests.unit.engine.follow.muffled import Muffled
from tests.unit.engine.follow.watcher import BUFFER, JOB, LOOK_AFTER


class PromptStore(LeakyStore):
    """Calls at once."""

    async def append(self, job_id: str, append: Append) -> Outcome:
        outcome = await super().append(job_id, append)
        self.deliver_all()
        return outcome


@pytest.fixture(params=["memory", "sqlite"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def store(kind: str, tmp_path: Path) -> AsyncIterator[Muffled]:
    url = f"sqlite:///{tmp_path}/jobs.db"
    inner = (
        PromptStore()
        if kind == "memory"
        else await open_events(Settings(broker_url=url, default_queue="q"), SystemClock())
    )
    yield Muffled(inner)
    await inner.close()


@pytest.fixture
async def subscriptions(store: Muffled) -> AsyncIterator[Subscriptions]:
    subscriptions = Subscriptions(store, SystemClock(), look_after=LOOK_AFTER, buffer=BUFFER)
    yield subscriptions
    await subscriptions.close()
    ours = ("goatherd look", "goatherd snapshot", "goatherd subscriptions")
    assert [task for task in asyncio.all_tasks() if task.get_name().startswith(ours)] == []


@pytest.fixture
async def author(store: Muffled) -> Author:
    author = Author(store, JOB)
    await by_platform(store, JOB, queued())
    await author.start()
    return author
