"""A database is brought to the schema of this version, whoever does it and however many at once."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from goatherd.adapters.postgres.address import read_address
from goatherd.adapters.postgres.opening import find_migrations, open_lanes
from goatherd.adapters.postgres.schema import PostgresMigrations
from goatherd.errors import SettingsError, Unavailable
from goatherd.testing.suites.lane_people import Sender, Worker, ids
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import operator, settings

pytestmark = pytest.mark.servers("postgres")

_APPLY = """
import asyncio, sys
from goatherd.adapters.postgres.address import read_address
from goatherd.adapters.postgres.schema import PostgresMigrations
print(len(asyncio.run(PostgresMigrations(read_address(sys.argv[1])).apply())))
"""


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """An empty database of one's own."""
    name = f"schema_{uuid4().hex}"
    async with operator() as connection:
        await connection.execute(f"CREATE DATABASE {name}".encode())
        yield postgres_url().rpartition("/")[0] + f"/{name}"
        await connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def migrations(url: str) -> PostgresMigrations:
    return PostgresMigrations(read_address(url))


async def test_all_steps_are_made_once(url: str) -> None:
    missing = await migrations(url).missing()
    assert [migration.number for migration in missing] == [*range(1, migrations(url).newest + 1)]
    assert await migrations(url).apply() == missing
    assert await migrations(url).missing() == await migrations(url).apply() == []


async def test_several_at_once_take_turns(url: str) -> None:
    done = await asyncio.gather(*(migrations(url).apply() for _ in range(5)))
    assert sorted(map(len, done)) == [0, 0, 0, 0, migrations(url).newest]


async def test_several_processes_at_once_take_turns(url: str) -> None:
    command = [sys.executable, "-c", _APPLY, url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    told = await asyncio.gather(*(asyncio.to_thread(process.communicate, timeout=60) for process in processes))
    assert sorted(int(output) for output, _ in told) == [0, migrations(url).newest]


async def test_what_is_printed_does_the_same(url: str) -> None:
    async with operator(url) as connection:
        await connection.execute(migrations(url).script(await migrations(url).missing()).encode())
    assert await migrations(url).missing() == []
    lanes = await open_lanes(settings("shop", url, declare="check"))
    try:
        await Sender(lanes).put("a")
        assert ids(await Worker(lanes).drain()) == ["a"]
    finally:
        await lanes.close()


@pytest.mark.parametrize("declare", ["check", "never"])
async def test_one_who_must_not_make_it_is_told_what_to_do(url: str, declare: str) -> None:
    with pytest.raises(SettingsError, match="goatherd migrate MODULE:APP"):
        await open_lanes(settings("shop", url, declare=declare))
    assert len(await migrations(url).missing()) == migrations(url).newest


async def test_a_newer_schema_is_left_alone(url: str) -> None:
    await migrations(url).apply()
    async with operator(url) as connection:
        await connection.execute("INSERT INTO goatherd.migration VALUES (4711, 'tomorrow')")
    for attempt in (migrations(url).apply(), migrations(url).missing(), open_lanes(settings("shop", url))):
        with pytest.raises(SettingsError, match=r"newer Goatherd \(schema 4711"):
            await attempt


async def test_a_user_without_the_right_is_told_so(url: str) -> None:
    name = f"guest_{uuid4().hex}"
    async with operator(url) as connection:
        await connection.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'guest'".encode())
        guest = f"postgresql://{name}:guest@{url.rpartition('@')[2]}"
        try:
            with pytest.raises(SettingsError, match="goatherd migrate --sql"):
                await open_lanes(settings("shop", guest))
            await migrations(url).apply()
            with pytest.raises(Unavailable, match="USAGE of the schema goatherd"):
                await open_lanes(settings("shop", guest))
            for right in (
                "USAGE ON SCHEMA goatherd", "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA goatherd",
                "USAGE ON ALL SEQUENCES IN SCHEMA goatherd",
            ):  # fmt: skip
                await connection.execute(f"GRANT {right} TO {name}".encode())
            lanes = await open_lanes(settings("shop", guest, declare="check"))
            await Sender(lanes).put("a")
            assert ids(await Worker(lanes).drain()) == ["a"]
            await lanes.close()
        finally:
            await connection.execute(f"DROP OWNED BY {name}".encode())
            await connection.execute(f"DROP ROLE {name}".encode())


def test_each_database_is_named_once() -> None:
    same = settings("shop", "postgresql://localhost/a", records_url="postgresql://localhost/a")
    assert [each.database for each in find_migrations(same)] == ["postgresql://localhost:5432/a"]
    two = settings("shop", "postgresql://localhost/a", records_url="postgresql://localhost/b")
    assert [each.database for each in find_migrations(two)] == [
        "postgresql://localhost:5432/a", "postgresql://localhost:5432/b",
    ]  # fmt: skip
    none = settings("shop", "redis://localhost")
    assert list(find_migrations(none)) == []
