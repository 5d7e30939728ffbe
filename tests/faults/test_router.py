"""Routers are killed in the middle of things and Redis under them: the history is complete, watchers miss nothing."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from goatherd.model.ids import new_id
from goatherd.model.job_record import JobRecord
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.records import JobHistory
from goatherd.testing.suites.event_store import by_platform, done, queued
from goatherd.wiring import open_events, open_history
from scripts.servers.redis import Redis, ensure_redis
from tests.conformance.redis_store import lasting_keys, operator
from tests.faults.event_people import Stubborn
from tests.faults.routers import RouterProcess, listening
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[Redis]:
    """The server of the events."""
    ensure_redis()
    with Redis(tmp_path / "keeper") as server:
        yield server


@pytest.fixture
def caller(tmp_path: Path) -> Iterator[Redis]:
    """The live server."""
    with Redis(tmp_path / "caller") as server:
        yield server


@pytest.fixture
def settings(keeper: Redis, caller: Redis, tmp_path: Path) -> Settings:
    return Settings(
        broker_url="sqlite:///unused.db", default_queue="faults", events_url=keeper.url, live_url=caller.url,
        records_url=f"sqlite:///{tmp_path / 'records.db'}", event_prefix="faults", router_batch=20,
        publish_deadline=20, history_days=1e6,
    )  # fmt: skip


@pytest.fixture
def router(settings: Settings, tmp_path: Path) -> Iterator[RouterProcess]:
    process = RouterProcess(settings, tmp_path / "router.log")
    process.start()
    yield process
    process.kill()


@pytest.fixture
async def events(settings: Settings) -> AsyncIterator[Events]:
    events = await open_events(settings, SystemClock())
    yield events
    await events.close()


@pytest.fixture
async def history(settings: Settings) -> AsyncIterator[JobHistory]:
    history = await open_history(settings, SystemClock())
    yield history
    await history.close()


class Flow:
    """Jobs that stream, and short ones beside them, until they are told to end."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._on = True
        self.streams = [new_id() for _ in range(4)]
        self.writers = {job: Stubborn(events, job) for job in self.streams}
        self.short: list[str] = []
        self.tasks = [asyncio.ensure_future(self._stream(writer)) for writer in self.writers.values()]
        self.tasks.append(asyncio.ensure_future(self._short_jobs()))

    async def grows(self, jobs: int) -> None:
        wanted = len(self.short) + jobs
        await until(lambda: len(self.short) >= wanted, "jobs to be done")

    async def end(self) -> None:
        self._on = False
        async with asyncio.timeout(30):
            await asyncio.gather(*self.tasks)

    async def _stream(self, writer: Stubborn) -> None:
        while self._on:
            await writer.say(f"{len(writer.text)} ")
            await asyncio.sleep(0.002)
        await writer.end()

    async def _short_jobs(self) -> None:
        while self._on:
            job = new_id()
            await by_platform(self._events, job, queued())
            await by_platform(self._events, job, done(attempt=0))
            self.short.append(job)


async def test_nothing_is_missing_after_routers_and_redis_were_killed(
    keeper: Redis, caller: Redis, settings: Settings, router: RouterProcess, events: Events, history: JobHistory
) -> None:
    async with listening(caller.url, settings.live_prefix) as listener:
        flow = Flow(events)
        await until(lambda: len(listener.ended) > 20, "the first router to work")
        for _ in range(3):
            await flow.grows(40)
            router.kill()
            await flow.grows(40)
            router.start()
            heard = len(listener.ended)
            await until(lambda heard=heard: len(listener.ended) > heard, "the next router to work")  # type: ignore[misc]
        await asyncio.to_thread(keeper.kill)
        await asyncio.to_thread(keeper.start)
        await flow.grows(40)
        await flow.end()
        jobs = {*flow.writers, *flow.short}
        await until(lambda: listener.ended >= jobs, "everything to be relayed")
        assert listener.holes == []
        for job in jobs:
            state = await events.state(job)
            assert state is not None
            assert listener.told[job] == state.seq
            record = await ended(history, job)
            assert (record.state.position, record.state.status) == (state.position, "done")
            assert record.state.result == b'{"answer":42}'
    assert router.stop() == 0
    assert "Traceback" not in router.words()
    for url in (keeper.url, caller.url):
        async with operator(url) as client:
            assert await lasting_keys(client) == []


async def test_a_router_outlives_both_servers(
    keeper: Redis, caller: Redis, settings: Settings, router: RouterProcess, events: Events, history: JobHistory
) -> None:
    await by_platform(events, first := new_id(), done(attempt=0))
    await ended(history, first)
    # The history does not wait for the live server.
    caller.kill()
    await by_platform(events, second := new_id(), done(attempt=0))
    await ended(history, second)
    keeper.kill()
    keeper.start()
    caller.start()
    async with listening(caller.url, settings.live_prefix) as listener:

        async def relayed() -> bool:
            await by_platform(events, new_id(), done(attempt=0))
            return bool(listener.ended)

        await until(relayed, "watchers to be told again")
    await by_platform(events, third := new_id(), done(attempt=0))
    await ended(history, third)
    assert router.stop() == 0
    words = router.words()
    assert "Watchers are told of events again" in words
    assert "Traceback" not in words


async def ended(history: JobHistory, job: str) -> JobRecord:
    found: list[JobRecord] = []

    async def there() -> bool:
        record = await history.find(job)
        if record is not None and record.state.closed:
            found.append(record)
        return bool(found)

    await until(there, f"{job} to be on record as ended")
    return found[0]
