"""One transaction for many callers, in which each fails alone."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from goatherd.adapters.sqlite import database as module
from goatherd.adapters.sqlite.broker import SqliteBroker
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.requests import Operation, Request
from goatherd.errors import Unavailable
from goatherd.model.message import Message
from goatherd.model.topology import Queue
from goatherd.ports.clock import SystemClock


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "jobs.db")
    opened.open()
    yield opened
    opened.close()


class Hold:
    """Keeps the writer thread busy, so that what is asked meanwhile is taken together."""

    def __init__(self, database: Database) -> None:
        self._free = threading.Event()
        begun = threading.Event()

        def hold(_: apsw.Connection) -> None:
            begun.set()
            self._free.wait(10)

        database.post(Request(hold, writes=False))
        # Until it has begun, the writer could still take it together with what is asked next.
        assert begun.wait(10)

    def release(self) -> None:
        self._free.set()


def insert(name: str) -> Operation[int]:
    def run(connection: apsw.Connection) -> int:
        connection.execute("INSERT INTO queue (name) VALUES (?)", (name,))
        return connection.last_insert_rowid()

    return run


def names(connection: apsw.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM queue ORDER BY id")]


async def asked(count: int = 5) -> None:
    """Let the tasks reach the point where they wait for the writer."""
    for _ in range(count):
        await asyncio.sleep(0)


async def test_callers_at_the_same_time_share_one_transaction(database: Database) -> None:
    hold = Hold(database)
    commits: list[str] = []

    def note_commit() -> bool:
        commits.append("commit")
        return False

    writes = [asyncio.ensure_future(database.write(insert(f"q{number}"))) for number in range(50)]
    await asked()
    connection = database._connection
    assert connection is not None
    connection.set_commit_hook(note_commit)
    hold.release()
    await asyncio.gather(*writes)
    assert len(commits) == 1
    assert await database.read(names) == [f"q{number}" for number in range(50)]


async def test_one_that_fails_is_undone_alone(database: Database) -> None:
    def half_done(connection: apsw.Connection) -> None:
        connection.execute("INSERT INTO queue (name) VALUES ('half')")
        raise ValueError("changed its mind")

    hold = Hold(database)
    outcomes = asyncio.gather(
        database.write(insert("before")),
        database.write(half_done),
        database.write(insert("after")),
        database.write(insert("before")),
        return_exceptions=True,
    )
    await asked()
    hold.release()
    first, failed, third, doubled = await outcomes
    assert (first, third) == (1, 2)
    assert isinstance(failed, ValueError)
    assert isinstance(doubled, Unavailable)
    assert isinstance(doubled.__cause__, apsw.ConstraintError)
    assert await database.read(names) == ["before", "after"]


async def test_what_follows_a_write_happens_once_and_only_if_it_is_kept(database: Database) -> None:
    told: list[object] = []

    def wrong(_: apsw.Connection) -> None:
        raise ValueError

    hold = Hold(database)
    outcomes = asyncio.gather(
        database.write(insert("kept"), after=told.append),
        database.write(wrong, after=told.append),
        return_exceptions=True,
    )
    await asked()
    hold.release()
    await outcomes
    assert told == [1]


async def test_a_lock_held_for_too_long_is_told_to_all_at_once(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = database._connection
    assert connection is not None
    connection.set_busy_handler(module._Patience(0.3))
    other = apsw.Connection(str(database.path))
    other.execute("BEGIN IMMEDIATE")
    hold = Hold(database)
    writes = [asyncio.ensure_future(database.write(insert(f"q{number}"))) for number in range(20)]
    await asked()
    hold.release()
    async with asyncio.timeout(3):
        outcomes = await asyncio.gather(*writes, return_exceptions=True)
    assert all("locked for too long" in str(outcome) for outcome in outcomes)
    other.execute("ROLLBACK")
    other.close()
    assert await database.write(insert("free again")) == 1


async def test_what_was_asked_before_the_close_is_done(database: Database) -> None:
    hold = Hold(database)
    writes = [asyncio.ensure_future(database.write(insert(f"q{number}"))) for number in range(5)]
    await asked()
    closing = asyncio.ensure_future(asyncio.to_thread(database.close))
    hold.release()
    assert await asyncio.gather(*writes) == [1, 2, 3, 4, 5]
    await closing
    database.close()


async def test_what_is_asked_after_the_close_is_told(database: Database) -> None:
    database.close()
    with pytest.raises(Unavailable, match="has been closed"):
        await database.write(insert("late"))


async def test_a_caller_that_gave_up_does_not_disturb_the_others(database: Database) -> None:
    hold = Hold(database)
    gone = asyncio.ensure_future(database.write(insert("gone")))
    stays = asyncio.ensure_future(database.write(insert("stays")))
    await asked()
    gone.cancel()
    hold.release()
    assert await stays == 2


async def test_a_disk_that_does_not_answer_is_not_waited_for_for_ever(database: Database) -> None:
    broker = SqliteBroker(database, SystemClock(), lease=30, publish_deadline=0.05)
    await broker.declare([Queue(name="mail")])
    hold = Hold(database)
    try:
        with pytest.raises(Unavailable, match=r"within 0\.05 s.*Send again with the same id=") as caught:
            await broker.publish([Message(id="j1", queue="mail", body=b"{}")])
    finally:
        hold.release()
        await broker.close()
    assert caught.value.jobs == ("j1",)
