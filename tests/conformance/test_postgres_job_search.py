"""The suite of how jobs are found on PostgreSQL, also where few are looked at before the index is asked."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from goatherd.adapters.postgres import job_finding
from goatherd.ports.clock import SystemClock
from goatherd.ports.job_search import JobSearch
from goatherd.ports.records import JobHistory
from goatherd.testing.suites import JobSearchSuite
from goatherd.wiring import open_history, open_job_search
from tests.conformance.postgres_store import forget_history
from tests.conformance.test_postgres_history import settings

pytestmark = pytest.mark.servers("postgres")


class TestPostgresJobSearch(JobSearchSuite):
    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        await forget_history(app)

    async def open(self, store: str) -> JobSearch:
        return await open_job_search(settings(store), SystemClock())

    async def open_history(self, store: str) -> JobHistory:
        return await open_history(settings(store), SystemClock())


class TestPostgresJobSearchInTheIndex(TestPostgresJobSearch):
    @pytest.fixture(autouse=True)
    def little_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("_SAMPLED", "_MORE_SAMPLED", "_SAMPLED_OF_FACETS", "_LOOKED_AT", "_NEWEST"):
            monkeypatch.setattr(job_finding, name, 1)
        monkeypatch.setattr(job_finding, "_FEW", 0)
        monkeypatch.setattr(job_finding, "_MANY", 0)
