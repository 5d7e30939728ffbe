"""The machine of runs finds faults that their records could have."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
from _pytest.mark.structures import ParameterSet
from hypothesis import settings

from goatherd.errors import Unavailable
from scripts.servers.addresses import postgres_url
from tests.conformance.postgres_store import operator
from tests.conformance.step_faults import POSTGRES, SQLITE, planted_in_postgres, planted_in_sqlite
from tests.conformance.step_grounds import PostgresGround, SqliteGround
from tests.conformance.step_stage import Ground
from tests.conformance.test_step_machine import SOME, play

#: Found always, also where a database must be made for each; the others are found there when there is more time.
SOON = ("token not checked", "held parcel never promoted")


def _in_its_time(fault: str, soon: bool) -> ParameterSet:
    return pytest.param(fault, marks=() if soon else pytest.mark.chaos)


def expect(runner: asyncio.Runner, ground: Ground) -> None:
    """The same lives find it that find nothing in a store without it: an invariant cannot hold then."""
    with pytest.raises((AssertionError, Unavailable)) as caught:
        play(runner, ground, settings(SOME, report_multiple_bugs=False, database=None))
    told = str(caught.value)
    assert told.startswith("I"), told


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.mark.parametrize("fault", [_in_its_time(fault, fault != "ended run goes on") for fault in SQLITE])
def test_it_is_found_on_sqlite(fault: str, runner: asyncio.Runner, tmp_path: Path) -> None:
    with planted_in_sqlite(fault):
        expect(runner, SqliteGround(tmp_path))


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
@pytest.mark.parametrize("fault", [_in_its_time(fault, fault in SOON) for fault in POSTGRES])
def test_it_is_found_on_postgres(fault: str, runner: asyncio.Runner, another_database: str) -> None:
    with planted_in_postgres(fault):
        expect(runner, PostgresGround(another_database))
