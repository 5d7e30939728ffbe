"""The records of pipelines on SQLite pass the suite."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from unittest.mock import patch

import apsw
import apsw.ext
import pytest

from goatherd.adapters.sqlite import opening, queries
from goatherd.errors import Unavailable
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites import StepsSuite
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_begins import BeginCases
from goatherd.testing.suites.step_claims import UnitClaimCases
from goatherd.testing.suites.step_parcels import ParcelCases
from goatherd.testing.suites.step_people import LINE, Worker, given, key
from goatherd.testing.suites.step_repeats import UnitRepeatCases
from goatherd.testing.suites.step_store import StepStore
from goatherd.testing.suites.step_turns import TurnCases
from goatherd.wiring.records import open_steps
from tests.conformance.test_sqlite_lanes import GivenClock

TABLES = ("run", "run_unit", "run_letter")


class SqliteStepStore:
    @pytest.fixture
    def store(self) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            yield Path(folder) / "jobs.db"

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> StepStore:
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite")
        opened = await open_steps(settings, SystemClock() if now is None else GivenClock(now))
        return cast(StepStore, opened.steps)

    async def kept(self, store: Path) -> Sequence[str]:
        connection = apsw.Connection(str(store))
        try:
            return [table for table in TABLES if connection.execute(f"SELECT 1 FROM {table}").fetchall()]
        finally:
            connection.close()


class TestSqliteSteps(SqliteStepStore, StepsSuite):
    pass


class TestSqliteStepsOfSeveralProcesses(
    SqliteStepStore, BeginCases, TurnCases, UnitClaimCases, ParcelCases, UnitRepeatCases
):
    """Clients of one process share a connection; here each has its own, as in processes of their own."""

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> StepStore:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store, now)


#: Statements that read on from one end of what there is, as far as they are allowed to, or all of what is in trouble.
READ_ON = {"run_letters", "untold_runs", "find_runs", "all_stuck_units", "find_troubled_runs", "next_moment"}


class TestOnlyOnSqlite(SqliteStepStore):
    """What only its adapter promises."""

    async def test_what_a_call_costs_does_not_grow_with_the_number_of_runs(self, store: Path) -> None:
        """Every statement finds its rows by an index."""
        await (await self.open(store)).close()
        text = (Path(queries.__file__).parent / "sql/steps.sql").read_text(encoding="utf-8")
        connection = apsw.Connection(str(store))
        for name in re.findall(r"^-- name: (\w+)$", text, re.MULTILINE):
            info = apsw.ext.query_info(connection, queries._STATEMENTS[name], explain_query_plan=True)
            scans = re.findall(r"detail='(SCAN [^']*)'", str(info.query_plan))
            assert bool(scans) == (name in READ_ON), f"{name}: {info.query_plan}"
        connection.close()

    async def test_to_look_in_vain_is_not_to_write(self, store: Path) -> None:
        clock = StandingClock()
        steps = await self.open(store, clock)
        await LINE.begin(steps)
        await LINE.taken(steps)
        await Worker(steps, LINE, lease=100.0).one("first")
        with busy(store):
            assert await LINE.taken(steps) == []
            assert await steps.reap(10) == 0
        clock.advance(100.0)
        assert await steps.reap(10) == 1
        assert await LINE.taken(steps) == ["first"]
        await steps.close()

    async def test_a_run_cannot_begin_in_a_transaction_of_the_users_own(self, store: Path) -> None:
        steps = await self.open(store)
        assert steps.begin_statement(LINE.run()) is None
        await steps.close()

    async def test_a_file_that_does_not_answer_is_unavailable_and_what_was_done_all_the_same_is_not_done_twice(
        self, store: Path
    ) -> None:
        steps = await self.open(store)
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite", publish_deadline=0.2)
        hasty = cast(StepStore, (await open_steps(settings, SystemClock())).steps)
        await LINE.begin(steps)
        worker = Worker(steps, LINE)
        claim = await worker.one("first")
        worker.steps = hasty
        with busy(store):
            with pytest.raises(Unavailable, match="did not answer within"):
                await worker.exchange(worker.success(claim), wanted=[key("second")])
            with pytest.raises(Unavailable):
                await hasty.begin([LINE.run("run-2")])
        await hasty.close()
        worker.steps = steps
        # The writer has written it by now, or writes it first.
        exchanged = await worker.repeat()
        assert list(exchanged.settled) == [True]
        assert given(exchanged.claims)[0].key == key("second")
        assert list(await steps.beat([claim.hold], 10.0)) == [False]
        await steps.close()


@contextmanager
def busy(store: Path) -> Iterator[None]:
    """Somebody else writes all the time."""
    connection = apsw.Connection(str(store))
    connection.set_busy_timeout(5000)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()
