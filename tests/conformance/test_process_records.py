"""The suite of the records of processes, on every store that has them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import msgspec
import psycopg
import pytest

from goatherd.adapters.postgres.opening import open_process_records as open_in_postgres
from goatherd.adapters.sqlite import opening
from goatherd.model.settings import Settings
from goatherd.ports.processes import ProcessRecords
from goatherd.testing.suites import ProcessRecordsSuite
from goatherd.wiring.control import open_process_records
from scripts.servers.addresses import postgres_url
from tests.conformance.test_uniques import ClockByHand


class TestSqliteProcessRecords(ProcessRecordsSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "jobs.db"

    async def open(self, store: Path, now: Callable[[], float], app: str = "suite") -> ProcessRecords:
        settings = Settings(app=app, broker_url=f"sqlite:///{store}", default_queue=app)
        with patch.object(opening, "FILES", opening.Files()):
            return await open_process_records(settings, ClockByHand(now))


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """One of one's own: others would take the time of a clock by hand for their own."""
    name = f"processes_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.servers("postgres")
@pytest.mark.xdist_group("postgres")
class TestPostgresProcessRecords(ProcessRecordsSuite):
    @pytest.fixture
    def store(self, database: str) -> Settings:
        """An app of its own for each test, in a database that others use, too."""
        app = f"suite_{uuid4().hex}"
        return Settings(app=app, broker_url="sqlite:///unused.db", default_queue=app, records_url=database)

    async def open(self, store: Settings, now: Callable[[], float], app: str = "suite") -> ProcessRecords:
        whose = msgspec.structs.replace(store, app=f"{store.app}_{app}")
        return await open_in_postgres(whose, now)
