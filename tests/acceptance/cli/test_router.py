"""A router writes what became of tracked jobs, and ends when it is told to."""

import asyncio
import signal

import pytest

from goatherd.model.ids import new_id
from goatherd.model.job_record import JobRecord
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.event_store import by_platform, done, queued
from goatherd.testing.suites.receiver import eventually
from goatherd.wiring import open_events, open_history
from tests.acceptance.cli.brokers import embedded
from tests.acceptance.cli.stage import Stage

pytestmark = embedded


def store(stage: Stage) -> Settings:
    return Settings(broker_url=f"sqlite:///{stage.folder / 'shop.db'}", default_queue="shop")


async def a_job(settings: Settings) -> str:
    """A job that was done, and of which no events are left."""
    events = await open_events(settings, SystemClock())
    await by_platform(events, job := new_id(), queued())
    await by_platform(events, job, done(attempt=0))
    await events.forget(job)
    await events.close()
    return job


async def record_of(settings: Settings, job: str) -> JobRecord:
    history = await open_history(settings, SystemClock())

    async def found() -> JobRecord | None:
        record = await history.find(job)
        return record if record is not None and record.state.closed else None

    try:
        return await eventually(found, f"{job} to be on record")
    finally:
        await history.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_router_writes_history_until_it_is_told_to_stop(stage: Stage, number: signal.Signals) -> None:
    settings = store(stage)
    before = asyncio.run(a_job(settings))
    # Jobs of the story are years old, so their history must be kept for longer than that.
    router = stage.start("router", "shop:app", GOATHERD_BROKER_URL=settings.broker_url, GOATHERD_HISTORY_DAYS="1e6")
    router.hear(r"Events of app 'shop' from sqlite:///.*shop.db, history in sqlite:///.*shop.db")
    assert asyncio.run(record_of(settings, before)).state.status == "done"
    assert asyncio.run(record_of(settings, asyncio.run(a_job(settings)))).state.result == b'{"answer":42}'
    router.tell(number)
    assert router.end() == 0
    assert "Stopped" in router.heard


def test_a_server_that_is_not_there_is_told(stage: Stage) -> None:
    told = stage.run("router", "shop:app", code=1, GOATHERD_EVENTS_URL="redis://127.0.0.1:1/0?connection_timeout=1")
    assert "GOATHERD_EVENTS_URL" in told.stderr
