"""Which processes do something for the app, and how much all of them do."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from goatherd.model.process import Counted, ProcessReport, ProcessRow, Sample


class ProcessRecords(Protocol):
    """Keeps what processes report; every adapter passes `goatherd.testing.suites.ProcessRecordsSuite`.

    Used from one event loop. Every method has a deadline, raises `Unavailable` and may be repeated. Time is the
    store's own.
    """

    async def report(self, report: ProcessReport, alive: float) -> None:
        """This process lives and stands so; it is taken for dead when nothing is heard of it for `alive` seconds.

        What the report counted is added to that of all. Of two reports with one number the second tells how the
        process stands, but adds nothing.
        """

    async def find(self, limit: int = 1000) -> Sequence[ProcessRow]:
        """Living processes, by host, then the oldest first."""

    async def leave(self, process: str) -> None:
        """A process has ended; what it counted stays."""

    async def throughput(self, last: float, step: float, queue: str | None = None) -> Sequence[Sample]:
        """What was counted in the last so many seconds, on one queue or on all: one sample for each step.

        The oldest comes first, and none is missing; the last is the one that has just begun. A step is a multiple of
        `goatherd.model.process.BUCKET` seconds; another is made one.
        """

    async def counts(self, last: float) -> Mapping[str, Counted]:
        """What was counted in the last so many seconds, by queue or pattern; rounded up to whole buckets."""

    async def prune(self, older_than: float, limit: int) -> int:
        """Forget what was counted so many seconds ago and before, at most so many rows; returns how many those were."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
