"""Schedules on SQLite pass the suite."""

import re
from collections.abc import Callable, Iterator, Sequence
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
from goatherd.testing.suites import SchedulesSuite
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_looks import TickCases
from goatherd.testing.suites.schedule_store import NAME, ScheduleStore, declare, due, end, fire, fires
from goatherd.wiring.recurring import open_schedules
from tests.conformance.test_sqlite_lanes import GivenClock
from tests.conformance.test_sqlite_steps import busy

TABLES = ("schedule", "schedule_version", "schedule_firing")


class SqliteScheduleStore:
    @pytest.fixture
    def store(self) -> Iterator[Path]:
        with TemporaryDirectory() as folder:
            yield Path(folder) / "jobs.db"

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> ScheduleStore:
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite")
        opened = await open_schedules(settings, SystemClock() if now is None else GivenClock(now))
        return cast(ScheduleStore, opened.schedules)

    async def kept(self, store: Path) -> Sequence[str]:
        connection = apsw.Connection(str(store))
        try:
            return [table for table in TABLES if connection.execute(f"SELECT 1 FROM {table}").fetchall()]
        finally:
            connection.close()


class TestSqliteSchedules(SqliteScheduleStore, SchedulesSuite):
    pass


class TestSqliteSchedulesOfSeveralProcesses(SqliteScheduleStore, TickCases):
    """Clients of one process share a connection; here each has its own, as in processes of their own."""

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> ScheduleStore:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store, now)


#: Statements that read on from one end of what there is, as far as they are allowed to, or all schedules.
READ_ON = {"list_schedules", "due_firings_with_jobs", "forget_removed_schedules"}


class TestOnlyOnSqlite(SqliteScheduleStore):
    """What only its adapter promises."""

    async def test_what_a_call_costs_does_not_grow_with_the_number_of_firings(self, store: Path) -> None:
        """Every statement finds its rows by an index."""
        await (await self.open(store)).close()
        text = (Path(queries.__file__).parent / "sql/schedules.sql").read_text(encoding="utf-8")
        connection = apsw.Connection(str(store))
        for name in re.findall(r"^-- name: (\w+)$", text, re.MULTILINE):
            info = apsw.ext.query_info(connection, queries._STATEMENTS[name], explain_query_plan=True)
            scans = re.findall(r"detail='(SCAN (?!CONSTANT)[^']*)'", str(info.query_plan))
            assert bool(scans) == (name in READ_ON), f"{name}: {info.query_plan}"
        connection.close()

    async def test_to_look_is_not_to_write(self, store: Path) -> None:
        clock = StandingClock()
        schedules = await self.open(store, clock)
        await declare(schedules)
        await fire(schedules, fires(1.0, "run"), next_at=clock() + 1.0)
        with busy(store):
            look = await schedules.look([NAME], 10)
            assert ([each.id for each in look.firings], look.next_at) == (["run"], clock() + 1.0)
        clock.advance(1000.0)
        assert await due(schedules) == []
        await schedules.close()

    async def test_a_file_that_does_not_answer_is_unavailable_and_what_was_done_all_the_same_is_not_done_twice(
        self, store: Path
    ) -> None:
        schedules = await self.open(store)
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite", publish_deadline=0.2)
        hasty = cast(ScheduleStore, (await open_schedules(settings, SystemClock())).schedules)
        await declare(schedules)
        with busy(store):
            with pytest.raises(Unavailable, match="did not answer within"):
                await hasty.trigger(NAME, "by hand")
            with pytest.raises(Unavailable, match="did not answer within"):
                await end(hasty, "by hand")
        await hasty.close()
        firing = await schedules.trigger(NAME, "by hand")
        assert firing is not None
        assert len(await schedules.history(NAME, 10)) == 1
        await schedules.close()
