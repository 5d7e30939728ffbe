"""The doctor looks at PostgreSQL: whether it keeps what it confirmed, and has room for all."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from scripts.servers.addresses import postgres_url
from scripts.servers.postgres import Postgres, ensure_postgres
from tests.acceptance.doctor.patient import LateClock, found, patient, the_one

pytestmark = pytest.mark.servers("postgres")


def told(statement: str) -> None:
    with psycopg.connect(postgres_url(), autocommit=True) as operator:
        operator.execute(statement.encode())


@pytest.fixture
def database() -> Iterator[str]:
    """The name of one of our own, on the server that all share."""
    name = f"clinic_{uuid4().hex}"
    told(f"CREATE DATABASE {name}")
    yield name
    told(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def url(database: str) -> str:
    return urlsplit(postgres_url())._replace(path=f"/{database}").geturl()


async def test_one_that_is_well(url: str, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, records_url=url), "postgresql")
    assert check.state == "well"
    assert "for records" in check.found


async def test_commits_that_are_not_waited_for(url: str, database: str, tmp_path: Path) -> None:
    told(f"ALTER DATABASE {database} SET synchronous_commit = off")
    check = await the_one(patient(tmp_path, records_url=url), "postgresql")
    assert check.state == "warning"
    assert "synchronous_commit off" in check.found
    assert "synchronous_commit = on" in check.mend


async def test_a_database_that_takes_nothing(url: str, database: str, tmp_path: Path) -> None:
    told(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    check = await the_one(patient(tmp_path, records_url=url), "postgresql")
    assert check.state == "wrong"
    assert "read-only" in check.found


async def test_too_few_connections_for_the_pools(url: str, tmp_path: Path) -> None:
    app = patient(tmp_path, records_url=f"{url}?pool_size=900")

    @app.every(3600)
    async def sweep() -> None: ...

    check = await the_one(app, "postgresql")
    assert check.state == "warning"
    assert "901 each for" in check.found
    assert "max_connections" in check.mend


async def test_writes_that_are_not_on_the_disk(tmp_path: Path) -> None:
    ensure_postgres()
    with Postgres(tmp_path / "postgres", "-c", "fsync=off") as server:
        check = await the_one(patient(tmp_path, records_url=server.url), "postgresql")
    assert check.state == "warning"
    assert "fsync off" in check.found


async def test_another_time_there(url: str, tmp_path: Path) -> None:
    app = patient(tmp_path, records_url=url)
    app.clock = LateClock(-100)
    assert re.search(r"1m[34]\ds behind this machine", (await the_one(app, "clock")).found)
    app.clock = LateClock(0)
    assert await found(app, "clock") == []
