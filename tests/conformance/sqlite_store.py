"""One SQLite file for each case, and what only its adapter's suites must say."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import apsw
import pytest

from goatherd.adapters.sqlite import opening, presence
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.wiring import Ports, open_ports


class SqliteStore:
    @pytest.fixture
    def store(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        # The dead are found within a second; here sooner, because many cases wait for it.
        monkeypatch.setattr(presence, "LOOK_EVERY", 0.1)
        # A short path, so that the sockets hang beside the file, where they can be counted.
        with TemporaryDirectory() as folder:
            yield Path(folder) / "jobs.db"

    async def open(self, store: Path) -> Ports:
        return await open_ports(Settings(broker_url=f"sqlite:///{store}", default_queue="suite"), SystemClock())

    async def cut_off(self, store: Path) -> None:
        """Do to every worker what others do when it was silent for longer than its lease."""
        connection = apsw.Connection(str(store))
        connection.set_busy_timeout(5000)
        connection.execute("UPDATE job SET owner = NULL; DELETE FROM subscription; DELETE FROM worker")
        connection.close()

    def leftovers(self, store: Path) -> Sequence[str]:
        return [path.name for path in store.with_name(store.name + ".d").iterdir()]


class SqliteStoreOfSeveralProcesses(SqliteStore):
    """Clients of one process share a connection; here each has its own, as in processes of their own."""

    async def open(self, store: Path) -> Ports:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store)
