"""A history that a former version has written is opened by this one, and jobs are found in it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from importlib import resources
from pathlib import Path
from uuid import uuid4

import apsw
import psycopg
import pytest

from goatherd.adapters.postgres.address import read_address
from goatherd.adapters.postgres.schema import PostgresMigrations, migrations
from goatherd.adapters.sqlite.schema import APPLICATION_ID
from goatherd.model.job_search import JobFilter
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites.history import T, done, note
from goatherd.wiring import open_history, open_job_search
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import operator

#: The last schema without the search, in a file and on PostgreSQL.
FORMER_FILE, FORMER_DATABASE = 12, 20

ROWS = """
    INSERT INTO {table} VALUES
    ({prefix}'01900000-0000-7000-8000-00000000000a', 'aa', 3, 'done', 1, '', NULL, '42', '', '', '', {true},
     1700000009, 1700000000, 1700000001, 1700000009),
    ({prefix}'01900000-0000-7000-8000-00000000000b', 'aa', 3, 'failed', 2, 'fetch', 40, NULL, 'ValueError',
     'No luck with order_4711', 'line 1', {true}, 1700000019, 1700000000, 1700000001, 1700000019),
    ({prefix}'order-17', 'aa', 2, 'running', 1, '', NULL, NULL, '', '', '', {false},
     1700000030, NULL, 1700000030, NULL)
"""


def steps(package: str) -> list[str]:
    folder = resources.files(package) / "sql"
    return [
        entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name[:4].isdigit() and int(entry.name[:4]) <= FORMER_FILE
    ]


async def check(store: Settings, drop_as_before: Callable[[], Awaitable[object]]) -> None:
    """All is there, is found, and goes on; a router of the former version that still runs does no harm."""
    history, search = await open_history(store, SystemClock()), await open_job_search(store, SystemClock())

    async def found(choice: JobFilter) -> list[str]:
        return [job.job[-2:] for job in (await search.search(choice, 10)).jobs]

    try:
        with pytest.raises((apsw.SQLError, psycopg.errors.UndefinedTable)):
            await drop_as_before()
        assert dict(await search.counts()) == {"done": 1, "failed": 1, "running": 1}
        assert (await found(JobFilter()))[0] == "17"
        assert await found(JobFilter(status="failed")) == ["0b"]
        assert await found(JobFilter(text="LUCK 471")) == ["0b"]
        assert await found(JobFilter(text="LUCK 47112")) == []
        assert await found(JobFilter(text="LUCK 4711", status="failed")) == ["0b"]
        assert await found(JobFilter(text="valueerr", task="", queue="", kind="job")) == ["0b"]
        assert await found(JobFilter(text="00000a")) == ["0a"]
        assert await found(JobFilter(until=T + 1, status="done")) == ["0a"]
        record = await history.find("01900000-0000-7000-8000-00000000000b")
        assert record is not None
        assert (record.state.stage, record.state.progress, record.state.attempt) == ("fetch", 40, 2)
        assert (record.state.traceback, record.created, record.about.task) == ("line 1", T, "")
        done_one = await history.find("01900000-0000-7000-8000-00000000000a")
        assert done_one is not None
        assert (done_one.state.result, done_one.ended_at) == (b"42", T + 9)
        await history.note([note("order-17", "aa", 3, done(at=T + 40))])
        assert dict(await search.counts()) == {"done": 2, "failed": 1}
        assert await history.drop(T + 15, 10) == 1
        assert await history.drop_beyond(0, 10) == 2
        assert await found(JobFilter()) == await found(JobFilter(text="luck")) == []
    finally:
        await search.close()
        await history.close()


async def test_a_file_of_a_former_version_is_searched(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    former = apsw.Connection(str(path))
    for script in steps("goatherd.adapters.sqlite"):
        former.execute(script)
    rows = ROWS.format(table="history", prefix="", true=1, false=0).replace("'42'", "x'3432'")
    former.execute(rows)
    former.execute(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMER_FILE}")

    async def drop() -> None:
        former.execute(
            "DELETE FROM history WHERE job IN (SELECT job FROM history WHERE at < 9e9 ORDER BY at LIMIT 500)"
        )

    await check(Settings(broker_url=f"sqlite:///{path}", default_queue="q"), drop)
    former.close()


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """An empty database of one's own."""
    name = f"former_{uuid4().hex}"
    async with operator() as connection:
        await connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres_url().rpartition("/")[0] + f"/{name}"
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.servers("postgres")
async def test_a_database_of_a_former_version_is_searched(url: str) -> None:
    former = [each for each in migrations() if each.number <= FORMER_DATABASE]
    async with operator(url) as connection:
        await connection.execute(PostgresMigrations(read_address(url)).script(former).encode())
        await connection.execute(
            ROWS.format(table="goatherd.job_history", prefix="'shop', ", true="true", false="false").encode()
        )
        # Of another app, whose jobs are its own.
        await connection.execute(
            ROWS.format(table="goatherd.job_history", prefix="'forum', ", true="true", false="false").encode()
        )

    async def drop() -> None:
        async with operator(url) as connection:
            await connection.execute("DELETE FROM goatherd.job_history WHERE prefix = 'shop' AND at < 9e9")

    await check(Settings(broker_url="sqlite:///unused.db", records_url=url, default_queue="q", app="shop"), drop)
