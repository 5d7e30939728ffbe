"""What only a file can get wrong: several processes, rings that are lost, rows that stay, a power cut."""

import asyncio
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest

from goatherd.adapters.sqlite import events as module
from goatherd.adapters.sqlite import watchers
from goatherd.adapters.sqlite.events import SqliteEvents
from goatherd.model.event import BEGINNING
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.testing.clock import FakeClock
from goatherd.testing.suites.event_store import Author, Called, all_entries, by_platform, done, numbers, queued, whole
from goatherd.wiring import open_events

ROOT = Path(__file__).parents[4]


@pytest.fixture
def path() -> Iterator[Path]:
    """With room for the name of a socket."""
    with TemporaryDirectory() as folder:
        yield Path(folder) / "jobs.db"


@pytest.fixture
async def events(path: Path) -> AsyncIterator[Events]:
    opened = await open_events(Settings(broker_url=f"sqlite:///{path}", default_queue="q"), SystemClock())
    yield opened
    await opened.close()


def count(path: Path, table: str) -> int:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows: int = connection.execute(f"SELECT count(*) FROM {table}").get
    connection.close()
    return rows


async def scribe(path: Path, attempt: int, events: int) -> list[int]:
    command = (sys.executable, "-m", "tests.unit.adapters.sqlite.scribe", str(path), "job", str(attempt), str(events))
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, cwd=ROOT)
    async with asyncio.timeout(50):
        told, _ = await process.communicate()
    assert process.returncode == 0
    return [int(seq) for seq in told.split()]


async def test_processes_write_one_after_the_other_and_leave_no_hole(path: Path, events: Events) -> None:
    await by_platform(events, "job", queued())
    called = Called()
    await events.watch("job", called)
    written = await asyncio.gather(*(scribe(path, attempt, 60) for attempt in (1, 2, 3)))
    entries = await all_entries(events, "job")
    assert numbers(entries) == list(range(1, len(entries) + 1))
    assert sorted(seq for seqs in written for seq in seqs) == numbers(entries)[1:]
    assert (await whole(events, "job")).text == "".join(f"3.{number} " for number in range(60))
    await called.next()


async def test_a_burst_of_rings_loses_no_watcher(path: Path, events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel keeps about ten rings; those of the other jobs are lost."""
    monkeypatch.setattr(watchers, "LOOK_EVERY", 3600.0)
    called = {f"job {number}": Called() for number in range(100)}
    for job, each in called.items():
        await events.watch(job, each)
    assert isinstance(events, SqliteEvents)
    append = events.append
    # One transaction for all, while the loop that would hear the rings has no time.
    await asyncio.gather(*(append(job, queued_append()) for job in called))
    for each in called.values():
        await each.next()


def queued_append() -> module.Append:
    return module.Append(events=[queued()])


async def test_expired_jobs_are_cleared_away_bit_by_bit(path: Path) -> None:
    clock = FakeClock(1000.0)
    settings = Settings(broker_url=f"sqlite:///{path}", default_queue="q", event_ttl=60)
    events = await open_events(settings, clock)
    for job in ("a", "b", "c"):
        author = Author(events, job)
        await author.start()
        for _ in range(100):
            await author.say("x")
        await author.write(done())
    assert (count(path, "tracked"), count(path, "event"), count(path, "piece")) == (3, 306, 300)
    clock.move_to(1061.0)
    assert await events.state("a") is None
    before = count(path, "event")
    await by_platform(events, "new 0", queued())
    cleared = before + 1 - count(path, "event")
    assert 0 < cleared < 50, "some, but never many at once"
    for number in range(1, 60):
        await by_platform(events, f"new {number}", queued())
    assert (count(path, "tracked"), count(path, "event"), count(path, "piece")) == (60, 60, 0)
    await events.close()


async def test_a_long_log_that_begins_anew_is_cleared_away_too(path: Path, events: Events) -> None:
    author = Author(events, "job")
    await author.start()
    await author.say(*("x" for _ in range(200)))
    await events.forget("job")
    for number in range(30):
        await by_platform(events, f"other {number}", queued())
    assert (count(path, "tracked"), count(path, "event"), count(path, "piece")) == (30, 30, 0)


async def test_a_boot_of_the_machine_makes_a_new_epoch(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    author = Author(events, "job")
    await author.start()
    before = (await author.say("one ")).position
    monkeypatch.setattr(module, "boot_id", lambda: "another boot")
    after = (await author.say("two")).position
    assert after.epoch != before.epoch
    [entry] = await all_entries(events, "job", before)
    assert entry.position == after


async def test_what_a_power_cut_undid_is_not_mixed_up_with_what_came_later(
    path: Path, events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    author = Author(events, "job")
    await author.start()
    for text in ("one ", "two ", "three "):
        seen = (await author.say(text)).position
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM event WHERE seq > 2; DELETE FROM piece WHERE seq > 2")
    connection.execute("UPDATE tracked SET seq = 2, number = 2")
    connection.close()
    monkeypatch.setattr(module, "boot_id", lambda: "another boot")
    assert (await author.say("four")).expected == 3
    await author.send(3, *(author.token(text) for text in ("2 ", "3 ", "4")))
    reading = await events.read("job", seen)
    assert reading is not None
    assert (reading.resumed, reading.text) == (False, "one 2 3 4")


async def test_a_watcher_that_died_is_cleared_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(broker_url=f"sqlite:///{path}", default_queue="q")
    dead, living = [await open_events(settings, SystemClock()) for _ in range(2)]
    assert isinstance(dead, SqliteEvents)
    await dead.watch("job", lambda _: None)
    await dead.vanish()
    assert (count(path, "watcher"), count(path, "watch")) == (1, 1)
    # It may be rung without harm.
    await by_platform(living, "job", queued())
    monkeypatch.setattr(watchers, "SILENT_AFTER", -1.0)
    await living.watch("other", lambda _: None)
    assert (count(path, "watcher"), count(path, "watch")) == (1, 1)
    assert len(list(path.with_name("jobs.db.d").iterdir())) == 1
    await living.close()
    assert (count(path, "watcher"), count(path, "watch")) == (0, 0)
    assert list(path.with_name("jobs.db.d").iterdir()) == []


async def test_without_a_name_for_the_boot_everything_is_synced(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(events, SqliteEvents)
    levels: list[bool] = []
    write = events._database.write

    async def note(operation: object, *, durable: bool = True, after: object = None) -> object:
        levels.append(durable)
        return await write(operation, durable=durable, after=after)  # type: ignore[arg-type]

    monkeypatch.setattr(events._database, "write", note)
    author = Author(events, "job")
    await author.start()
    await author.say("x")
    monkeypatch.setattr(module, "boot_id", lambda: "")
    await author.say("x")
    assert levels == [True, False, True]


async def test_a_reader_gets_the_whole_job_from_the_file_of_another(path: Path, events: Events) -> None:
    await scribe(path, 1, 5)
    reading = await events.read("job", BEGINNING)
    assert reading is not None
    assert numbers(reading.entries) == [1, 2, 3, 4, 5, 6]
