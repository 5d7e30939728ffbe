"""The suite of how jobs are found on SQLite, also where few are looked at before the index is asked."""

from pathlib import Path
from unittest.mock import patch

import apsw
import pytest

from goatherd.adapters.sqlite import job_finding, job_wording, opening
from goatherd.model.event import Queued
from goatherd.model.job_search import JobFilter
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.job_search import JobSearch
from goatherd.ports.records import JobHistory
from goatherd.testing.suites import JobSearchSuite
from goatherd.testing.suites.history import T, done, note
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


async def test_kinds_of_jobs_are_forgotten_with_their_last_job(tmp_path: Path) -> None:
    store = tmp_path / "jobs.db"
    history, search = (
        await open_history(settings(store), SystemClock()),
        await open_job_search(settings(store), SystemClock()),
    )
    try:
        for n in range(5):
            told = Queued(attempt=0, at=T + n, task="mail", queue=f"of-customer-{n}")
            await history.note([note(f"job-{n}", "aa", 1, told, done(at=T + n))])
        assert await history.drop(T + 3, 10) == 3
        assert dict(await search.counts()) == {"done": 2}
        await history.note([note("job-0", "bb", 1, Queued(attempt=0, at=T + 9, task="mail", queue="of-customer-0"))])
        assert [job.queue for job in (await search.search(JobFilter(queue="of-customer-0"), 10)).jobs] == [
            "of-customer-0"
        ]
        file = apsw.Connection(str(store))
        assert file.execute("SELECT count(*) FROM history_facets").get == 3
        assert file.execute("SELECT count(*) FROM history_counts WHERE jobs = 0").get == 0
        file.close()
    finally:
        await search.close()
        await history.close()


class TestSqliteJobSearchInTheIndex(TestSqliteJobSearch):
    """Clients of one process share the file; here each has its own, as in processes of their own."""

    @pytest.fixture(autouse=True)
    def little_patience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module, name in ((job_wording, "NEWEST"), (job_wording, "_LOOKED_AT"), (job_finding, "_NEWEST")):
            monkeypatch.setattr(module, name, 1)
        monkeypatch.setattr(job_finding, "_FEW", 0)
        monkeypatch.setattr(job_finding, "_MANY", 0)

    async def open(self, store: Path) -> JobSearch:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store)
