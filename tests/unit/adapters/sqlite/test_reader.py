"""Looks that may take long: each has its own deadline, and who gives one up stops nobody else's."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.reader import Reader
from goatherd.errors import Unavailable

#: Seconds that a step may take on a busy machine before the test fails.
PATIENCE = 20.0
#: Takes for ever, but can be interrupted.
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


class Slow:
    """A look whose one statement lasts until it may end."""

    def __init__(self) -> None:
        self.begun, self.may_end = threading.Event(), threading.Event()

    def __call__(self, connection: apsw.Connection) -> object:
        connection.create_scalar_function("pause", self._pause, 0)
        # The rows behind it are what an interrupt would stop.
        rows = (
            "WITH RECURSIVE n(i) AS (SELECT pause() UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT sum(i) FROM n"
        )
        return connection.execute(rows).get

    def _pause(self, *_: object) -> int:
        self.begun.set()
        assert self.may_end.wait(PATIENCE)
        return 0


@pytest.fixture
async def reader(tmp_path: Path) -> AsyncIterator[Reader]:
    database = Database(tmp_path / "goatherd.db")
    database.open()
    yield database.reader
    database.close()


async def test_one_that_is_given_up_while_it_waits_does_not_stop_the_one_before_it(reader: Reader) -> None:
    slow = Slow()
    first = asyncio.create_task(reader.read(slow, PATIENCE))
    assert await asyncio.to_thread(slow.begun.wait, PATIENCE)
    second = asyncio.create_task(reader.read(lambda _: None, PATIENCE))
    with pytest.raises(Unavailable, match="did not answer within"):
        await reader.read(lambda _: None, 0.01)
    second.cancel()
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(asyncio.CancelledError):
            await second
    assert not first.done()
    slow.may_end.set()
    assert await first == sum(range(1001))


async def test_one_that_was_given_up_is_not_begun(reader: Reader) -> None:
    slow, begun = Slow(), threading.Event()
    first = asyncio.create_task(reader.read(slow, PATIENCE))
    assert await asyncio.to_thread(slow.begun.wait, PATIENCE)
    with pytest.raises(Unavailable):
        await reader.read(lambda _: begun.set(), 0.01)
    slow.may_end.set()
    await first
    assert await reader.read(lambda connection: connection.execute("SELECT 7").get, PATIENCE) == 7
    assert not begun.is_set()


async def test_one_of_many_statements_ends_by_its_deadline_too(reader: Reader) -> None:
    def look(connection: apsw.Connection) -> object:
        # Whatever is done between two statements cannot be interrupted.
        assert not threading.Event().wait(0.1)
        return connection.execute(ENDLESS).get

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Unavailable, match="did not answer within"):
            await reader.read(look, 0.01)
    assert await reader.read(lambda connection: connection.execute("SELECT 7").get, PATIENCE) == 7
