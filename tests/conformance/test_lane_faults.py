"""The machine of lanes finds seven faults that lanes could have."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
from hypothesis import settings

from goatherd.errors import Unavailable
from scripts.servers.addresses import postgres_url
from tests.conformance.lane_faults import POSTGRES, REDIS, SQLITE, in_postgres, in_redis, in_sqlite
from tests.conformance.lane_ground import Ground
from tests.conformance.lane_grounds import PostgresGround, RedisGround, SqliteGround
from tests.conformance.postgres_store import operator
from tests.conformance.test_lane_machine import SOME, play

#: What must have been noticed: the number of an invariant that cannot hold then.
NOTICED = {
    "no fencing": "I1",
    "no head check": "I1",
    "timer not removed": "I",
    "retry also ready": "I",
    "pop before work": "I",
    "high-water mark forgotten": "I7",
    "double schedule": "I",
}


def expect(fault: str, runner: asyncio.Runner, ground: Ground, lives: settings) -> None:
    """The same lives find it that find nothing in a store without it."""
    with pytest.raises((AssertionError, Unavailable)) as caught:
        play(runner, ground, settings(lives, report_multiple_bugs=False, database=None))
    # A store may notice itself that what cannot be has happened, and refuse to go on.
    told = str(caught.value)
    assert told.startswith(NOTICED[fault]) or "was not locked" in told, told


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_every_fault_is_planted_in_every_store() -> None:
    assert NOTICED.keys() == SQLITE.keys() == REDIS.keys() == POSTGRES.keys()


@pytest.mark.parametrize("fault", SQLITE)
def test_it_is_found_on_sqlite(fault: str, runner: asyncio.Runner, tmp_path: Path) -> None:
    with in_sqlite(SQLITE[fault]):
        expect(fault, runner, SqliteGround(tmp_path), SOME)


@pytest.mark.chaos
@pytest.mark.servers("redis")
@pytest.mark.xdist_group("redis")
@pytest.mark.parametrize("fault", REDIS)
def test_it_is_found_on_redis(fault: str, runner: asyncio.Runner) -> None:
    with in_redis(REDIS[fault]):
        expect(fault, runner, RedisGround(), SOME)


@pytest.fixture
def another_database(runner: asyncio.Runner) -> Iterator[str]:
    """One that no other test sees, because it has a fault."""
    name = f"fault_{uuid4().hex}"
    runner.run(_do(f"CREATE DATABASE {name}"))
    yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
    runner.run(_do(f"DROP DATABASE {name} WITH (FORCE)"))


async def _do(statement: str) -> None:
    async with operator() as connection:
        await connection.execute(statement.encode())


@pytest.mark.chaos
@pytest.mark.servers("postgres")
@pytest.mark.parametrize("fault", POSTGRES)
def test_it_is_found_on_postgres(fault: str, runner: asyncio.Runner, another_database: str) -> None:
    with in_postgres(POSTGRES[fault]):
        expect(fault, runner, PostgresGround(another_database, deadline=1.0), SOME)
