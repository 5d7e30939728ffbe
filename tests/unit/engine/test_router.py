"""A router writes the history of whatever happens, survives stores that are away, and lets nothing hold it up."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import pytest

from goatherd.adapters.prometheus import render
from goatherd.engine import relaying
from goatherd.engine import router as engine
from goatherd.engine.meter import Meter
from goatherd.engine.router import Router, RouterManners, RouterPorts
from goatherd.errors import Unavailable
from goatherd.model.event import Done, Failed, Queued
from goatherd.model.ids import new_id
from goatherd.model.job_record import JobNote, JobRecord
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.feed import Fed
from goatherd.ports.records import JobHistory
from goatherd.testing.suites.event_store import NOW, Author, by_platform, done, failed, queued
from goatherd.testing.suites.receiver import eventually
from goatherd.testing.suites.store import alive
from goatherd.wiring import open_events, open_feed, open_history, open_router


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(broker_url=f"sqlite:///{tmp_path / 'jobs.db'}", default_queue="q", history_days=1e9)


@pytest.fixture(autouse=True)
def _impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "LAG_EVERY", 0.05)
    monkeypatch.setattr(engine, "SHORTEST_PAUSE", 0.01)


class Shaky:
    """A history that can be away, or choke on a job."""

    def __init__(self, history: JobHistory) -> None:
        self._history = history
        self.away = False
        self.chokes_on = ""
        self.refused = asyncio.Event()
        self.find, self.drop, self.close = history.find, history.drop, history.close
        self.drop_beyond = history.drop_beyond

    async def note(self, notes: Sequence[JobNote]) -> None:
        if self.away:
            self.refused.set()
            raise Unavailable("the history is away")
        if self.chokes_on in [note.job for note in notes]:
            raise RuntimeError("this cannot be noted")
        await self._history.note(notes)


class Ear:
    """A relay that writes down what it is told, and can be away."""

    def __init__(self) -> None:
        self.told: list[Fed] = []
        self.away = False

    async def publish(self, events: Sequence[Fed]) -> int:
        if self.away:
            raise Unavailable("the live server is away")
        self.told += events
        return len(events)

    async def close(self) -> None:
        return


class Stage:
    """A router on a file, and everything around it."""

    def __init__(self, router: Router, events: Events, history: Shaky, ear: Ear) -> None:
        self.router, self.events, self.history, self.ear = router, events, history, ear

    async def record(self, job: str, holds: Callable[[JobRecord], bool] = lambda record: True) -> JobRecord:
        """What is on record of a job, once it is there."""

        async def found() -> JobRecord | None:
            record = await self.history.find(job)
            return record if record is not None and holds(record) else None

        return await eventually(found, f"{job} to be on record")


@asynccontextmanager
async def routing(settings: Settings, manners: RouterManners | None = None) -> AsyncIterator[Stage]:
    clock = SystemClock()
    feed, events = await open_feed(settings, clock), await open_events(settings, clock)
    history, ear = Shaky(await open_history(settings, clock)), Ear()

    async def close() -> None:
        await feed.close()
        await history.close()

    ports = RouterPorts(feed=feed, events=events, history=history, relay=ear, close=close)
    router = Router(ports, clock, manners or RouterManners(history_days=settings.history_days, block=0.5))
    await router.start()
    try:
        yield Stage(router, events, history, ear)
    finally:
        await router.stop()
        await events.close()


def is_closed(record: JobRecord) -> bool:
    return record.state.closed


async def test_what_happens_to_jobs_is_on_record(settings: Settings) -> None:
    async with routing(settings) as stage:
        good, bad = new_id(), new_id()
        for job in (good, bad):
            await by_platform(stage.events, job, queued())
        author = Author(stage.events, good)
        await author.start()
        await author.say("some text")
        last = await author.write(author.progress("half", 50.0), done())
        await by_platform(stage.events, bad, failed())
        record = await stage.record(good, is_closed)
        assert (record.state.position, record.state.status) == (last.position, "done")
        assert (record.state.result, record.state.stage) == (b'{"answer":42}', "half")
        assert (record.queued_at, record.started_at, record.ended_at) == (NOW, NOW, NOW)
        record = await stage.record(bad, is_closed)
        assert (record.state.status, record.state.error, record.state.message) == ("failed", "ValueError", "no luck 🐐")
        # The record outlives the events.
        await stage.events.forget(good)
        assert (await stage.record(good)).state.closed


async def test_a_history_that_is_away_is_waited_for(settings: Settings) -> None:
    async with routing(settings) as stage:
        stage.history.away = True
        jobs = [new_id() for _ in range(30)]
        for job in jobs:
            await by_platform(stage.events, job, queued())
        async with asyncio.timeout(5):
            await stage.history.refused.wait()
        stage.history.away = False
        for job in jobs:
            await by_platform(stage.events, job, done(attempt=0))
        for job in jobs:
            assert (await stage.record(job, is_closed)).queued_at == NOW


async def test_an_event_that_cannot_be_noted_holds_up_no_other(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    events = await open_events(settings, SystemClock())
    jobs = [new_id() for _ in range(5)]
    for job in jobs:
        await by_platform(events, job, queued())
    await events.close()
    async with routing(settings) as stage:
        stage.history.chokes_on = jobs[2]
        for job in jobs[:2] + jobs[3:]:
            await stage.record(job)
        await by_platform(stage.events, jobs[0], done(attempt=0))
        await stage.record(jobs[0], is_closed)
        assert await stage.history.find(jobs[2]) is None
    assert jobs[2] in caplog.text


async def test_a_large_result_is_read_from_the_log(settings: Settings) -> None:
    async with routing(settings) as stage:
        large = msgspec.json.encode("x" * 10_000)
        author = Author(stage.events, job := new_id())
        await author.start()
        await author.write(Done(attempt=1, at=NOW, result=msgspec.Raw(large)))
        assert (await stage.record(job, is_closed)).state.result == large


async def test_a_large_end_whose_log_is_gone_is_an_end_all_the_same(settings: Settings) -> None:
    events = await open_events(settings, SystemClock())
    good, bad = new_id(), new_id()
    await by_platform(events, good, Done(attempt=0, at=NOW, result=msgspec.Raw(b'"' + b"x" * 10_000 + b'"')))
    await by_platform(events, bad, Failed(attempt=0, at=NOW, reason="failed", error="E", message="m" * 10_000))
    for job in (good, bad):
        await events.forget(job)
    await events.close()
    async with routing(settings) as stage:
        record = await stage.record(good, is_closed)
        assert (record.state.status, record.state.result) == ("done", None)
        assert (await stage.record(bad, is_closed)).state.status == "failed"


async def test_watchers_elsewhere_are_told_and_the_history_does_not_wait_for_them(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relaying, "LEFT_ALONE", 0.05)
    async with routing(settings) as stage:
        first, second = new_id(), new_id()
        await by_platform(stage.events, first, queued())
        await stage.record(first)
        assert [fed.job for fed in stage.ear.told] == [first]
        stage.ear.away = True
        for job in (first, second):
            await by_platform(stage.events, job, done(attempt=0))
            await stage.record(job, is_closed)
        assert stage.router.readings().unrelayed >= 2
        stage.ear.away = False

        async def told() -> bool | None:
            # By the last event of each, their watchers see that they have missed some.
            return {fed.job for fed in stage.ear.told[1:]} == {first, second} or None

        await eventually(told, "those who were left out to be told")


async def test_old_history_is_dropped(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "DROP_EVERY", 0.05)
    async with routing(settings, RouterManners(history_days=1e9, block=0.5)) as stage:
        await by_platform(stage.events, old := new_id(), queued())
        await stage.record(old)
    async with routing(settings, RouterManners(history_days=1, block=0.5)) as stage:

        async def dropped() -> bool | None:
            return True if await stage.history.find(old) is None else None

        await eventually(dropped, "the history to be dropped")


async def test_the_oldest_of_too_many_jobs_are_dropped(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "DROP_EVERY", 0.05)
    monkeypatch.setattr(engine, "DROPPED_AT_ONCE", 2)
    manners = RouterManners(history_days=1e9, history_jobs=3, block=0.5)
    async with routing(settings, manners) as stage:
        jobs = [new_id() for _ in range(8)]
        for n, job in enumerate(jobs):
            await by_platform(stage.events, job, Queued(attempt=0, at=1_700_000_000.0 + n))

        async def dropped() -> bool | None:
            left = [job for job in jobs if await stage.history.find(job) is not None]
            return True if left == jobs[-3:] else None

        await eventually(dropped, "the oldest to be dropped")


async def test_what_is_not_done_when_it_stops_is_done_by_the_next(settings: Settings) -> None:
    async with routing(settings) as stage:
        stage.history.away = True
        await by_platform(stage.events, job := new_id(), queued())
        async with asyncio.timeout(5):
            await stage.history.refused.wait()
    async with routing(settings) as stage:
        await stage.record(job)


async def test_counts_are_told_as_metrics(settings: Settings) -> None:
    async with routing(settings) as stage:
        for _ in range(3):
            await by_platform(stage.events, new_id(), queued())

        async def counted() -> str | None:
            text = render(msgspec.structs.replace(Meter().readings(), router=stage.router.readings()))
            return text if "goatherd_router_noted_total 3.0" in text else None

        text = await eventually(counted, "three events to be counted")
        assert "goatherd_router_relayed_total 3.0" in text
        assert 'goatherd_router_trimmed_unread_total{why="limit"} 0.0' in text
        assert "goatherd_router_lag_seconds" in text


async def test_a_router_with_ports_of_its_own_leaves_nothing_behind(settings: Settings) -> None:
    before = alive()
    router = await open_router(settings, SystemClock())
    await router.start()
    events = await open_events(settings, SystemClock())
    await by_platform(events, new_id(), queued())

    async def noted() -> bool | None:
        return router.readings().noted == 1 or None

    await eventually(noted, "the router to work")
    await router.stop()
    await router.stop()
    await events.close()
    assert alive() - before == set()
