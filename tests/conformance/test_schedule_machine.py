"""Random lives of schedules, on every store."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.conformance.schedule_grounds import PostgresGround, SqliteGround
from tests.conformance.schedule_machine import Ground, ScheduleMachine

#: Always the same lives, few and long; a failure is told as it came, since to shorten it would take minutes.
SOME = settings(max_examples=6, stateful_step_count=50, deadline=None, derandomize=True, phases=[Phase.generate])
#: Where each step takes longer.
FEW = settings(SOME, max_examples=2)
#: Other lives each time; a failure prints how to have it again.
MANY = settings(max_examples=300, stateful_step_count=80, deadline=None, print_blob=True)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def play(runner: asyncio.Runner, ground: Ground, lives: settings) -> None:
    class Machine(ScheduleMachine):
        pass

    Machine.runner, Machine.ground = runner, ground
    run_state_machine_as_test(Machine, settings=lives)


def test_on_sqlite(runner: asyncio.Runner, tmp_path: Path) -> None:
    play(runner, SqliteGround(tmp_path), SOME)


@pytest.mark.servers("postgres")
def test_on_postgres(runner: asyncio.Runner) -> None:
    play(runner, PostgresGround(), FEW)


@pytest.mark.chaos
def test_many_lives_on_sqlite(runner: asyncio.Runner, tmp_path: Path) -> None:
    play(runner, SqliteGround(tmp_path), MANY)


@pytest.mark.chaos
@pytest.mark.servers("postgres")
def test_many_lives_on_postgres(runner: asyncio.Runner) -> None:
    play(runner, PostgresGround(), settings(MANY, max_examples=80))
