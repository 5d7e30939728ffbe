"""Random lives of a tally on every store; and they find faults that a store could have."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from goatherd.errors import Unavailable
from scripts.servers.addresses import postgres_url
from tests.conformance import postgres_store
from tests.conformance.lane_faults import in_postgres, in_sqlite
from tests.conformance.postgres_store import operator
from tests.conformance.tally_faults import POSTGRES, REDIS, SQLITE, in_redis
from tests.conformance.tally_machine import Ground, TallyMachine
from tests.conformance.tally_stores import PostgresTallyStore, RedisTallyStore, SqliteTallyStore

#: Always the same lives, few and long; a failure is told as it came, since to shorten it would take minutes.
SOME = settings(max_examples=8, stateful_step_count=60, deadline=None, derandomize=True, phases=[Phase.generate])
#: Where each step takes longer.
FEW = settings(SOME, max_examples=3)
#: Other lives each time; a failure prints how to have it again.
MANY = settings(max_examples=300, stateful_step_count=100, deadline=None, print_blob=True)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def play(runner: asyncio.Runner, ground: Ground, new_store: Callable[[], Any], lives: settings) -> None:
    class Machine(TallyMachine):
        pass

    Machine.runner, Machine.ground, Machine.new_store = runner, ground, staticmethod(new_store)
    run_state_machine_as_test(Machine, settings=lives)


def expect(runner: asyncio.Runner, ground: Ground, new_store: Callable[[], Any]) -> None:
    """The same lives find it that find nothing in a store without it, or some more."""
    lives = settings(SOME, max_examples=40, report_multiple_bugs=False, database=None)
    with pytest.raises((AssertionError, Unavailable)) as caught:
        play(runner, ground, new_store, lives)
    assert str(caught.value)[0] in "ST" or isinstance(caught.value, Unavailable), caught.value


def file_in(folder: Path) -> Callable[[], Path]:
    """The same for all lives, each of which clears it at its end: to make one takes longer than a life."""
    return lambda: folder / "jobs.db"


def new_app() -> str:
    return f"machine-{uuid4().hex}"


def test_on_sqlite(runner: asyncio.Runner, tmp_path: Path) -> None:
    play(runner, SqliteTallyStore(), file_in(tmp_path), SOME)


@pytest.mark.servers("redis")
@pytest.mark.xdist_group("redis")
def test_on_redis(runner: asyncio.Runner) -> None:
    play(runner, RedisTallyStore(), new_app, SOME)


@pytest.mark.servers("postgres")
@pytest.mark.xdist_group("postgres")
def test_on_postgres(runner: asyncio.Runner) -> None:
    play(runner, PostgresTallyStore(), new_app, FEW)


@pytest.mark.chaos
def test_many_lives_on_sqlite(runner: asyncio.Runner, tmp_path: Path) -> None:
    play(runner, SqliteTallyStore(), file_in(tmp_path), MANY)


@pytest.mark.chaos
@pytest.mark.servers("redis")
def test_many_lives_on_redis(runner: asyncio.Runner) -> None:
    play(runner, RedisTallyStore(), new_app, MANY)


@pytest.mark.chaos
@pytest.mark.servers("postgres")
def test_many_lives_on_postgres(runner: asyncio.Runner) -> None:
    play(runner, PostgresTallyStore(), new_app, settings(MANY, max_examples=60))


def test_every_fault_is_planted_in_every_store() -> None:
    assert SQLITE.keys() == REDIS.keys() == POSTGRES.keys()


@pytest.mark.parametrize("fault", SQLITE)
def test_it_is_found_on_sqlite(fault: str, runner: asyncio.Runner, tmp_path: Path) -> None:
    with in_sqlite(SQLITE[fault]):
        expect(runner, SqliteTallyStore(), file_in(tmp_path))


@pytest.mark.chaos
@pytest.mark.servers("redis")
@pytest.mark.parametrize("fault", REDIS)
def test_it_is_found_on_redis(fault: str, runner: asyncio.Runner) -> None:
    with in_redis(REDIS[fault]):
        expect(runner, RedisTallyStore(), new_app)


@pytest.mark.chaos
@pytest.mark.servers("postgres")
@pytest.mark.parametrize("fault", POSTGRES)
def test_it_is_found_on_postgres(fault: str, runner: asyncio.Runner) -> None:
    name = f"faulty_{uuid4().hex}"
    url = urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))

    async def ask(statement: str) -> None:
        async with operator() as connection:
            await connection.execute(statement.encode())

    runner.run(ask(f"CREATE DATABASE {name}"))
    try:
        with in_postgres(POSTGRES[fault]), patch.object(postgres_store, "postgres_url", lambda: url):
            expect(runner, PostgresTallyStore(), new_app)
    finally:
        runner.run(ask(f"DROP DATABASE {name} WITH (FORCE)"))
