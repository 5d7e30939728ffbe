"""What only a file can get wrong: statements that look at every lane, rows that stay, a file that does not answer."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import apsw.ext
import pytest

from goatherd.adapters.sqlite import queries
from goatherd.adapters.sqlite.database import Database
from goatherd.adapters.sqlite.lanes import SqliteLanes
from goatherd.errors import Unavailable
from goatherd.model.lane import REMEMBERED_FOR
from goatherd.testing.clock import FakeClock
from goatherd.testing.suites.lane_people import Sender, Worker, ids, item

SQL = Path(queries.__file__).parent / "sql" / "lanes.sql"
#: An operator's searches; a table with one row; whether there is any row, and the first rows, of a table.
MAY_SCAN = {"find_held_lanes", "find_timed_lanes", "find_other_lanes", "lane_mark", "next_due", "lane_letters"}


@pytest.fixture
async def database() -> AsyncIterator[Database]:
    with TemporaryDirectory() as folder:
        opened = Database(Path(folder) / "jobs.db")
        opened.open()
        yield opened
        opened.close()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(1_700_000_000.0)


@pytest.fixture
async def lanes(database: Database, clock: FakeClock) -> AsyncIterator[SqliteLanes]:
    opened = SqliteLanes(database, clock, deadline=60.0, give_back=nothing)
    yield opened
    await opened.close()


async def nothing() -> None:
    """The file is closed by its own fixture."""


def counted(table: str) -> Callable[[apsw.Connection], int]:
    return lambda connection: int(connection.execute(f"SELECT count(*) FROM {table}").get)


def details(plan: apsw.ext.QueryPlan | None) -> Iterator[str]:
    if plan is not None:
        yield plan.detail
        for part in plan.sub or ():
            yield from details(part)


async def test_statements_find_what_they_need_without_looking_at_every_lane(database: Database) -> None:
    parts = queries._HEADING.split(SQL.read_text(encoding="utf-8"))

    def scans(connection: apsw.Connection) -> dict[str, list[str]]:
        found = {}
        for name, statement in zip(parts[1::2], parts[2::2], strict=True):
            plan = apsw.ext.query_info(connection, statement, explain_query_plan=True).query_plan
            # What is read of a subquery is what that has found, which is in the plan, too.
            steps = [detail for detail in details(plan) if not detail.startswith("SCAN (subquery")]
            found[name] = [detail for detail in steps if "SCAN" in detail or "TEMP B-TREE" in detail]
        return {name: steps for name, steps in found.items() if steps and name not in MAY_SCAN}

    assert await database.read(scans) == {}


async def test_statements_are_not_planned_anew_for_every_value(database: Database) -> None:
    def is_on(connection: apsw.Connection) -> int:
        return int(connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1))

    assert await database.read(is_on) == 1


async def test_peers_are_forgotten_after_ten_minutes_of_silence(
    database: Database, lanes: SqliteLanes, clock: FakeClock
) -> None:
    silent = [Sender(lanes) for _ in range(150)]
    for sender in silent:
        await sender.put("a")
    clock.move_to(clock.now() + 595.0)
    loud = Worker(lanes)
    await loud.exchange()
    assert await database.read(counted("lane_peer")) == 151
    clock.move_to(clock.now() + 10.0)
    # Some at a time, so that nobody pays for a crowd.
    await loud.exchange()
    assert await database.read(counted("lane_peer")) == 51
    await loud.exchange()
    assert await database.read(counted("lane_peer")) == 1


async def test_names_are_forgotten_after_an_hour_some_at_a_time(
    database: Database, lanes: SqliteLanes, clock: FakeClock
) -> None:
    sender = Sender(lanes)
    await sender.send(*(item(f"{number}", named=True) for number in range(250)))
    clock.move_to(clock.now() + REMEMBERED_FOR + 1.0)
    left = []
    for number in range(3):
        await sender.put(f"new {number}")
        left.append(await database.read(counted("lane_named")))
    assert left == [149, 48, 0]


async def test_a_file_that_does_not_answer_is_unavailable_and_the_call_can_be_repeated(
    database: Database, clock: FakeClock
) -> None:
    impatient = SqliteLanes(database, clock, deadline=0.05, give_back=nothing)
    sender, is_busy, go_on = Sender(impatient), asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def be_busy(_connection: apsw.Connection) -> bool:
        loop.call_soon_threadsafe(is_busy.set)
        return go_on.wait(30.0)

    busy = asyncio.ensure_future(database.read(be_busy))
    async with asyncio.timeout(30.0):
        await is_busy.wait()
    with pytest.raises(Unavailable, match=r"did not answer within 0\.05 s") as raised:
        await sender.put("a", "b")
    assert isinstance(raised.value.__cause__, TimeoutError)
    go_on.set()
    assert await busy
    patient = SqliteLanes(database, clock, deadline=60.0, give_back=nothing)
    # It was carried out all the same when the file had time for it.
    again = await patient.enqueue(sender.name, sender.number, [item("a"), item("b")])
    assert [placement.ahead for placement in again] == [0, 1]
    assert ids(await Worker(patient).drain()) == ["a", "b"]
    await impatient.close()
    await patient.close()


async def test_a_call_that_cannot_be_written_leaves_no_trace(
    database: Database, lanes: SqliteLanes, monkeypatch: pytest.MonkeyPatch
) -> None:
    sender = Sender(lanes)
    with monkeypatch.context() as broken:
        broken.setitem(queries._STATEMENTS, "note_call", "INSERT INTO no_such_table VALUES (?, ?, ?, ?)")
        with pytest.raises(Unavailable) as raised:
            await sender.put("a")
        assert isinstance(raised.value.__cause__, apsw.Error)
    assert await database.read(counted("lane_job")) == 0
    assert [placement.answer for placement in await sender.repeat()] == ["placed"]
    assert ids(await Worker(lanes).drain()) == ["a"]


async def test_the_file_does_not_grow_with_the_lanes_that_were_ever_there(
    database: Database, lanes: SqliteLanes
) -> None:
    sender, worker, pages = Sender(lanes), Worker(lanes), []
    for round_of in range(6):
        await sender.put_each([f"mail/to={round_of}.{number}" for number in range(400)])
        assert len(await worker.drain(200)) == 400
        pages.append(await database.read(lambda connection: int(connection.pragma("page_count"))))
    assert pages[-1] <= pages[1]
