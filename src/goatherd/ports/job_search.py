"""How jobs are found in the history, however many there are."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from goatherd.model.job_search import JobFilter, JobPage, JobPlace
from goatherd.model.job_state import Status


class JobSearch(Protocol):
    """Reads what routers wrote; every adapter passes `goatherd.testing.suites.JobSearchSuite`.

    Used from one event loop. Every method has a deadline and raises `Unavailable`; a search never keeps those waiting
    who write.
    """

    async def search(self, choice: JobFilter, limit: int, before: JobPlace | None = None) -> JobPage:
        """The newest jobs that are looked for, at most so many, behind `before` if that is given.

        Jobs are in the order in which they were accepted. Whoever goes from page to page sees each job once, but none
        that came meanwhile.
        """

    async def counts(self) -> Mapping[Status, int]:
        """How many jobs there are of each status; one that none has may be left out."""

    async def tasks(self) -> Sequence[str]:
        """The names of all tasks and pipelines that have jobs, in order."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
