"""The suite of how jobs are found on SQLite, also where few are looked at before the index is asked."""

from pathlib import Path
from unittest.mock import patch

import pytest

from goatherd.adapters.sqlite import job_finding, job_wording, opening
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.job_search import JobSearch
from goatherd.ports.records import JobHistory
from goatherd.testing.suites import JobSearchSuite
from goatherd.wiring import open_history, open_job_search


def settings(store: Path) -> Settings:
    return Settings(broker_url=f"sqlite:///{store}", default_queue="suite")


class TestSqliteJobSearch(JobSearchSuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "jobs.db"

    async def open(self, store: Path) -> JobSearch:
        return await open_job_search(settings(store), SystemClock())

    async def open_history(self, store: Path) -> JobHistory:
        return await open_history(settings(store), SystemClock())


class TestSqliteJobSearchInTheIndex(TestSqliteJobSearch):
    """Clients of one process share the file; here each has its own, as in processes of their own."""

    @pytest.fixture(autouse=True)
    def little_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module, name in ((job_wording, "NEWEST"), (job_wording, "_LOOKED_AT"), (job_finding, "_NEWEST")):
            monkeypatch.setattr(module, name, 1)
        monkeypatch.setattr(job_finding, "_FEW", 0)

    async def open(self, store: Path) -> JobSearch:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store)
