"""Every fault that is planted into a store of schedules is found by the machine."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from goatherd.errors import Unavailable
from tests.conformance.schedule_faults import POSTGRES, SQLITE, planted_in_postgres, planted_in_sqlite
from tests.conformance.schedule_grounds import PostgresGround, SqliteGround
from tests.conformance.schedule_machine import Ground
from tests.conformance.test_schedule_machine import SOME, play
from tests.conformance.test_step_faults import another_database

__all__ = ["another_database"]

#: Found always; the others are found when there is more time.
SOON = ("rev does not grow", "what waits is never due", "tick fires twice")


def expect(runner: asyncio.Runner, ground: Ground) -> None:
    """The same lives find it that find nothing in a store without it: an invariant cannot hold then."""
    with pytest.raises((AssertionError, Unavailable)) as caught:
        play(runner, ground, settings(SOME, max_examples=30, report_multiple_bugs=False, database=None))
    told = str(caught.value)
    assert told.startswith("I"), told


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault in SOON else pytest.mark.chaos) for fault in SQLITE]
)
def test_it_is_found_on_sqlite(fault: str, runner: asyncio.Runner, tmp_path: Path) -> None:
    with planted_in_sqlite(fault):
        expect(runner, SqliteGround(tmp_path))


@pytest.mark.chaos
@pytest.mark.servers("postgres")
@pytest.mark.parametrize("fault", POSTGRES)
def test_it_is_found_on_postgres(fault: str, runner: asyncio.Runner, another_database: str) -> None:
    with planted_in_postgres(fault):
        expect(runner, PostgresGround(another_database))
