"""The suite of the records of commands, on every store that has them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from goatherd.adapters.postgres.opening import open_inbox as open_in_postgres
from goatherd.adapters.sqlite import opening
from goatherd.model.settings import Settings
from goatherd.ports.inbox import InboxRecords
from goatherd.testing.suites import InboxSuite
from goatherd.wiring.recurring import open_inbox
from scripts.servers.addresses import postgres_url
from tests.conformance.test_uniques import ClockByHand


class TestSqliteInbox(InboxSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "jobs.db"

    async def open(self, store: Path, now: Callable[[], float]) -> InboxRecords:
        with patch.object(opening, "FILES", opening.Files()):
            return await open_inbox(Settings(broker_url=f"sqlite:///{store}", default_queue="suite"), ClockByHand(now))


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """One of one's own: others would take the time of a clock by hand for their own."""
    name = f"inbox_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.servers("postgres")
@pytest.mark.xdist_group("postgres")
class TestPostgresInbox(InboxSuite):
    @pytest.fixture
    def store(self, database: str) -> str:
        return database

    async def open(self, store: str, now: Callable[[], float]) -> InboxRecords:
        unused = Settings(broker_url="sqlite:///unused.db", default_queue="suite", records_url=store)
        return await open_in_postgres(unused, now)
