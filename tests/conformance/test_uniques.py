"""The suite of the keys of unique jobs, on every store that has them."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import apsw
import psycopg
import pytest

from goatherd.adapters.postgres.opening import open_uniques as open_in_postgres
from goatherd.adapters.sqlite import opening
from goatherd.model.settings import Settings
from goatherd.model.unique import UniqueClaim
from goatherd.ports.clock import SystemClock
from goatherd.ports.uniques import Uniques
from goatherd.testing.suites import UniquesSuite
from goatherd.wiring import open_uniques
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import operator


class ClockByHand(SystemClock):
    """Tells what time it is told to tell."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def now(self) -> float:
        return self._now()


class TestSqliteUniques(UniquesSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "jobs.db"

    async def open(self, store: Path, now: Callable[[], float]) -> Uniques:
        with patch.object(opening, "FILES", opening.Files()):
            return await open_uniques(
                Settings(broker_url=f"sqlite:///{store}", default_queue="suite"), ClockByHand(now)
            )

    async def kept(self, store: Path) -> int:
        connection = apsw.Connection(str(store))
        try:
            return int(connection.execute("SELECT count(*) FROM unique_key").get)
        finally:
            connection.close()


def settings(url: str) -> Settings:
    return Settings(broker_url="sqlite:///unused.db", default_queue="suite", records_url=url)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """One of one's own: others would take the time of a clock by hand for their own."""
    name = f"uniques_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.servers("postgres")
@pytest.mark.xdist_group("postgres")
class TestPostgresUniques(UniquesSuite):
    @pytest.fixture
    def store(self, database: str) -> str:
        return database

    async def open(self, store: str, now: Callable[[], float]) -> Uniques:
        return await open_in_postgres(settings(store), now)

    async def kept(self, store: str) -> int:
        async with operator(store) as connection:
            cursor = await connection.execute("SELECT count(*) FROM goatherd.unique_key")
            [count] = await cursor.fetchone() or (0,)
            return int(count)

    async def test_of_two_transactions_the_second_waits_for_the_first(
        self, uniques: Uniques, store: str, key: str
    ) -> None:
        """If that is rolled back, the second has the key."""
        claims = [UniqueClaim(key=key, job=job, seconds=60.0) for job in "ab"]
        statements = [uniques.take_statement([claim]) for claim in claims]
        async with (
            await psycopg.AsyncConnection.connect(store) as one,
            await psycopg.AsyncConnection.connect(store) as two,
        ):

            async def ask(connection: "psycopg.AsyncConnection[tuple[object, ...]]", number: int) -> object:
                statement = statements[number]
                assert statement is not None
                cursor = await connection.execute(statement.sql.encode(), statement.parameters)
                return await cursor.fetchone()

            assert await ask(one, 0) == (["ours"], ["a"])
            waiting = asyncio.create_task(ask(two, 1))
            done, _ = await asyncio.wait([waiting], timeout=0.1)
            assert not done
            await one.rollback()
            assert await waiting == (["ours"], ["b"])
            waiting = asyncio.create_task(ask(one, 0))
            await two.commit()
            assert await waiting == (["taken"], ["b"])
