"""The suite of the events on SQLite."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import apsw
import pytest

from goatherd.adapters.sqlite import opening, watchers
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.testing.suites import EventsSuite
from goatherd.wiring import open_events


class SqliteEventStore:
    @pytest.fixture
    def store(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        # Watchers that were cleared away notice it within seconds; here sooner.
        monkeypatch.setattr(watchers, "BEAT_EVERY", 0.1)
        monkeypatch.setattr(watchers, "LOOK_EVERY", 0.1)
        # A short path, so that the sockets hang beside the file.
        with TemporaryDirectory() as folder:
            yield Path(folder) / "jobs.db"
            assert list(Path(folder).glob("*.d/*")) == [], "these were left behind"

    async def open(self, store: Path, ttl: float = 3600.0) -> Events:
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite", event_ttl=ttl)
        return await open_events(settings, SystemClock())

    async def wipe(self, store: Path) -> None:
        self._do(store, "DELETE FROM tracked; DELETE FROM event; DELETE FROM piece")

    async def cut_off(self, store: Path) -> None:
        """Do to every watcher what others do when it was silent for too long."""
        self._do(store, "DELETE FROM watch; DELETE FROM watcher")

    def _do(self, store: Path, statements: str) -> None:
        connection = apsw.Connection(str(store))
        connection.set_busy_timeout(5000)
        connection.execute(statements)
        connection.close()


class TestSqliteEvents(SqliteEventStore, EventsSuite):
    pass


class TestSqliteEventsOfSeveralProcesses(SqliteEventStore, EventsSuite):
    """Clients of one process share a connection; here each has its own, as in processes of their own."""

    async def open(self, store: Path, ttl: float = 3600.0) -> Events:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store, ttl)
