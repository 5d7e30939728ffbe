"""The doctor looks at PostgreSQL: whether it keeps what it confirmed, and has room for all.

What is wrong is planted on a real server, and mended by the very statement that the doctor names.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest

from goatherd.cli.check import Check
from goatherd.cli.server_checks import server_checks
from goatherd.testing.suites.receiver import eventually
from scripts.servers.addresses import postgres_url
from scripts.servers.postgres import Postgres, ensure_postgres
from tests.acceptance.doctor.patient import LateClock, found, patient, the_one

pytestmark = pytest.mark.servers("postgres")


def told(statements: str, url: str | None = None) -> None:
    """Done by somebody who may do all."""
    with psycopg.connect(url or postgres_url(), autocommit=True) as operator:
        # One by one: some do not go together with others.
        for statement in statements.split(";"):
            if statement.strip():
                operator.execute(statement.encode())


def signed_in(url: str, user: str) -> str:
    """The same database, but as another user."""
    parts = urlsplit(url)
    return parts._replace(netloc=f"{user}@{parts.netloc.rpartition('@')[2]}").geturl()


async def asked(folder: Path, url: str) -> list[Check]:
    """What is said about the server alone, without opening the app."""
    return [check async for check in server_checks(patient(folder, records_url=url))]


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


@pytest.fixture
def role(database: str) -> Iterator[str]:
    """A user of our own, who owns the database."""
    told(f"CREATE ROLE {database} LOGIN PASSWORD 'right'")
    told(f"ALTER DATABASE {database} OWNER TO {database}")
    yield database
    told(f"ALTER DATABASE {database} OWNER TO CURRENT_USER")
    told(f"REASSIGN OWNED BY {database} TO CURRENT_USER")
    told(f"DROP ROLE {database}")


async def test_one_that_is_well(url: str, tmp_path: Path) -> None:
    check = await the_one(patient(tmp_path, records_url=url), "postgresql")
    assert check.state == "well"
    assert "for records" in check.found


async def test_commits_that_are_not_waited_for(url: str, database: str, tmp_path: Path) -> None:
    told(f"ALTER DATABASE {database} SET synchronous_commit = off")
    check = await the_one(patient(tmp_path, records_url=url), "postgresql")
    assert check.state == "warning"
    assert "synchronous_commit off" in check.found
    told(check.mend)
    assert [check.state for check in await asked(tmp_path, url)] == ["well"]


async def test_a_user_whose_commits_are_not_waited_for(url: str, role: str, tmp_path: Path) -> None:
    own = signed_in(url, f"{role}:right")
    for where in (f"ROLE {role}", f"ROLE {role} IN DATABASE {role}"):
        told(f"ALTER {where} SET synchronous_commit = off")
        [check] = await asked(tmp_path, own)
        assert check.state == "warning"
        told(check.mend)
        assert [check.state for check in await asked(tmp_path, own)] == ["well"]


async def test_a_database_that_takes_nothing(url: str, database: str, tmp_path: Path) -> None:
    told(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
    check = await the_one(patient(tmp_path, records_url=url), "postgresql")
    assert check.state == "wrong"
    assert "is read-only" in check.found
    told(check.mend)
    assert [check.state for check in await asked(tmp_path, url)] == ["well"]


async def test_too_few_connections_for_the_pools(url: str, tmp_path: Path) -> None:
    app = patient(tmp_path, records_url=f"{url}?pool_size=900", lanes_url=url)

    @app.every(3600)
    async def sweep() -> None: ...

    lanes, records = await found(app, "postgresql")
    assert (lanes.state, "for lanes," in lanes.found) == ("well", True), "one address, but not the same settings"
    assert records.state == "warning"
    assert "901 each for" in records.found
    assert "max_connections" in records.mend


async def test_a_wrong_password(url: str, role: str, tmp_path: Path) -> None:
    [check] = await asked(tmp_path, signed_in(url, f"{role}:mistaken"))
    assert check.state == "wrong"
    assert "does not accept the user or the password of GOATHERD_RECORDS_URL" in check.found
    assert "mistaken" not in check.found


async def test_writes_that_are_not_on_the_disk(tmp_path: Path) -> None:
    ensure_postgres()
    with Postgres(tmp_path / "postgres") as server:

        async def found_as(state: str) -> Check | None:
            # The server reads its settings anew a moment after it was told to.
            [check] = await asked(tmp_path, server.url)
            return check if check.state == state else None

        told("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();", server.url)
        check = await eventually(lambda: found_as("warning"), "the doctor to see it")
        assert "fsync off" in check.found
        told(check.mend, server.url)
        await eventually(lambda: found_as("well"), "it to be mended")
        server.freeze()
        try:
            [check] = await asked(tmp_path, f"{server.url}?connection_timeout=0.5")
        finally:
            server.thaw()
    assert (check.state, "cannot be reached or does not answer" in check.found) == ("wrong", True)


async def test_another_time_there(url: str, tmp_path: Path) -> None:
    app = patient(tmp_path, records_url=url)
    app.clock = LateClock(-100)
    assert re.search(r"1m[34]\ds behind this machine", (await the_one(app, "clock")).found)
    app.clock = LateClock(0)
    assert await found(app, "clock") == []
