"""The suite of the lanes on SQLite."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from unittest.mock import patch

import apsw
import pytest

from goatherd.adapters.sqlite import opening
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.testing.suites import LanesSuite
from goatherd.testing.suites.lane_claims import ClaimCases
from goatherd.testing.suites.lane_numbers import NumberCases
from goatherd.testing.suites.lane_orders import OrderCases
from goatherd.testing.suites.lane_store import LaneStore
from goatherd.testing.suites.lane_wakes import WakeCases
from goatherd.wiring import open_lanes


class GivenClock(SystemClock):
    """A clock that tells what a case says."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now

    def now(self) -> float:
        return self._now()


class SqliteLaneStore:
    @pytest.fixture
    def store(self) -> Iterator[Path]:
        # A short path, so that the sockets hang beside the file.
        with TemporaryDirectory() as folder:
            yield Path(folder) / "jobs.db"
            assert list(Path(folder).glob("*.d/*")) == [], "these were left behind"

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> LaneStore:
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite")
        opened = await open_lanes(settings, SystemClock() if now is None else GivenClock(now))
        return cast(LaneStore, opened.lanes)

    async def wipe(self, store: Path) -> None:
        self._do(store, "; ".join(f"DELETE FROM {table}" for table in ("lane_mark", "lane_peer", "lane_named", *KEPT)))

    async def kept(self, store: Path) -> Sequence[str]:
        return [table for table in KEPT if self._do(store, f"SELECT 1 FROM {table}")]

    def _do(self, store: Path, statements: str) -> Sequence[object]:
        connection = apsw.Connection(str(store))
        connection.set_busy_timeout(5000)
        try:
            return connection.execute(statements).fetchall()
        finally:
            connection.close()


KEPT = ("lane", "lane_job", "lane_later", "lane_letter")


class TestSqliteLanes(SqliteLaneStore, LanesSuite):
    pass


class TestSqliteLanesOfSeveralProcesses(SqliteLaneStore, OrderCases, ClaimCases, NumberCases, WakeCases):
    """Clients of one process share a connection; here each has its own, as in processes of their own."""

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> LaneStore:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store, now)
