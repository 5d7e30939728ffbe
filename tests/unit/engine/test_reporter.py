"""A process reports, whatever becomes of the store: nothing that it counted is lost or counted twice."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from goatherd.engine import reporter as module
from goatherd.engine.reporter import Reporter
from goatherd.errors import Unavailable
from goatherd.model.process import NOTHING, Counted, ProcessReport, ProcessState
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.processes import ProcessRecords
from goatherd.testing.suites.process_records import state_of
from goatherd.wiring.control import open_process_records

#: Seconds that a slow machine may take.
PATIENCE = 30.0


class Shaky:
    """Records that are away, or lose their answers, as a test wishes; otherwise those of a file."""

    def __init__(self, records: ProcessRecords) -> None:
        self._records = records
        self.away = False
        self.deaf = False
        self.heard = asyncio.Condition()
        self.reports: list[ProcessReport] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    async def report(self, report: ProcessReport, alive: float) -> None:
        async with self.heard:
            self.reports.append(report)
            self.heard.notify_all()
        if self.away:
            raise Unavailable("the store is away")
        await self._records.report(report, alive)
        if self.deaf:
            raise Unavailable("the answer was lost")

    async def until(self, reports: int) -> None:
        """So many came, from now on."""
        wanted = len(self.reports) + reports
        async with asyncio.timeout(PATIENCE), self.heard:
            await self.heard.wait_for(lambda: len(self.reports) >= wanted)


class Diary:
    """Satisfies `News`."""

    def __init__(self) -> None:
        self.done = 0
        self._told = 0

    async def state(self) -> ProcessState:
        return state_of("me", running_count=self.done)

    def report(self, state: ProcessState, number: int) -> ProcessReport:
        news, self._told = self.done - self._told, self.done
        return ProcessReport(state=state, number=number, counted={"q": Counted(done=news)})


@pytest.fixture
async def records(tmp_path: Path) -> AsyncIterator[Shaky]:
    settings = Settings(broker_url=f"sqlite:///{tmp_path}/jobs.db", default_queue="q")
    opened = await open_process_records(settings, SystemClock())
    yield Shaky(opened)
    await opened.close()


@pytest.fixture
def diary() -> Diary:
    return Diary()


@pytest.fixture
async def reporter(records: Shaky, diary: Diary) -> AsyncIterator[Reporter]:
    async def open() -> ProcessRecords:
        return records

    made = Reporter(open, diary, every=0.3)
    yield made
    await made.stop()


async def counted(records: Shaky) -> Mapping[str, Counted]:
    return {name: count for name, count in (await records.counts(3600)).items() if count != NOTHING}


async def test_it_tells_at_once_and_again(reporter: Reporter, records: Shaky, diary: Diary) -> None:
    reporter.start()
    await records.until(1)
    diary.done = 3
    await records.until(2)
    await reporter.stop()
    assert await counted(records) == {"q": Counted(done=3)}
    assert [each.number for each in records.reports][:3] == [1, 2, 3]


async def test_it_leaves_with_the_last_word(reporter: Reporter, records: Shaky, diary: Diary) -> None:
    reporter.start()
    await records.until(2)
    assert [row.state.id for row in await records.find()] == ["me"]
    diary.done = 7
    await reporter.stop()
    assert list(await records.find()) == []
    assert await counted(records) == {"q": Counted(done=7)}
    await reporter.stop()


async def test_news_is_told_soon(records: Shaky, diary: Diary) -> None:
    async def open() -> ProcessRecords:
        return records

    patient = Reporter(open, diary, every=3600)
    patient.start()
    await records.until(1)
    patient.nudge()
    await records.until(1)
    await patient.stop()


async def test_a_store_that_was_away_hears_all(
    reporter: Reporter, records: Shaky, diary: Diary, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "goatherd.reports")
    reporter.start()
    await records.until(1)
    records.away = True
    diary.done = 5
    await records.until(2)
    diary.done = 9
    await records.until(2)
    records.away = False
    await records.until(3)
    await reporter.stop()
    assert await counted(records) == {"q": Counted(done=9)}
    told = [record.getMessage() for record in caplog.records if record.name == "goatherd.reports"]
    assert told == [
        "How this process stands cannot be noted for operators; its work goes on: the store is away",
        "How this process stands is noted again",
    ]


async def test_an_answer_that_was_lost_makes_nothing_count_twice(
    reporter: Reporter, records: Shaky, diary: Diary
) -> None:
    reporter.start()
    await records.until(1)
    records.deaf = True
    diary.done = 5
    await records.until(2)
    diary.done = 8
    await records.until(3)
    records.deaf = False
    await records.until(3)
    await reporter.stop()
    assert await counted(records) == {"q": Counted(done=8)}


async def test_a_store_that_cannot_be_opened_is_tried_again(records: Shaky, diary: Diary) -> None:
    tries = 0

    async def open() -> ProcessRecords:
        nonlocal tries
        tries += 1
        if tries < 3:
            raise Unavailable("not yet")
        return records

    late = Reporter(open, diary, every=0.05)
    diary.done = 4
    late.start()
    await records.until(1)
    await late.stop()
    assert await counted(records) == {"q": Counted(done=4)}


async def test_a_fault_of_ours_is_logged_and_does_not_end_it(
    records: Shaky, diary: Diary, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def open() -> ProcessRecords:
        return records

    failing = [ZeroDivisionError(), ZeroDivisionError()]

    async def state() -> ProcessState:
        if failing:
            raise failing.pop()
        return state_of("me")

    monkeypatch.setattr(diary, "state", state)
    reporter = Reporter(open, diary, every=0.05)
    reporter.start()
    await records.until(1)
    await reporter.stop()
    [record] = [each for each in caplog.records if each.levelno >= logging.WARNING]
    assert record.exc_info is not None


async def test_a_store_that_is_away_does_not_hold_up_the_end(
    reporter: Reporter, records: Shaky, monkeypatch: pytest.MonkeyPatch
) -> None:
    reporter.start()
    await records.until(1)

    async def never(*_: object) -> None:
        await asyncio.get_running_loop().create_future()

    monkeypatch.setattr(records, "report", never)
    monkeypatch.setattr(module, "LAST_WORD", 0.05)
    async with asyncio.timeout(PATIENCE):
        await reporter.stop()


async def test_what_is_old_is_forgotten_batch_by_batch(
    reporter: Reporter, records: Shaky, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[float, int]] = []
    enough = asyncio.Event()

    async def prune(older_than: float, limit: int) -> int:
        asked.append((older_than, limit))
        if len(asked) == 3:
            enough.set()
            return 1
        assert len(asked) < 3, "there was nothing more"
        return limit

    monkeypatch.setattr(records, "prune", prune, raising=False)
    reporter.start()
    async with asyncio.timeout(PATIENCE):
        await enough.wait()
    await records.until(2)
    assert asked == [(24 * 3600.0, 500)] * 3
