"""What is remembered beside the queues, in small Protocols that one adapter may satisfy together."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from goatherd.model.job_record import JobNote, JobRecord


class WorkerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A process that takes jobs."""

    id: str
    host: str
    pid: int
    queues: Sequence[str]
    started: float
    #: Seconds since it was last seen alive.
    silent: float


class QueueControls(Protocol):
    """Operators' wishes for queues, which every worker follows within a second or two."""

    async def pause(self, queue: str) -> None:
        """Workers take nothing more from the queue; senders go on."""

    async def resume(self, queue: str) -> None:
        """Workers take from the queue again."""

    async def paused(self) -> frozenset[str]:
        """The queues that are paused now."""


class WorkerRecords(Protocol):
    """Who works."""

    async def workers(self) -> Sequence[WorkerRecord]:
        """Every worker that is believed to live."""


class StoreChecks(Protocol):
    """What `goatherd doctor` asks a store."""

    async def check(self) -> Mapping[str, str]:
        """Facts about the store by name, in words; raises Unavailable when it cannot be used."""


class JobHistory(Protocol):
    """What became of tracked jobs; every adapter passes `goatherd.testing.suites.HistorySuite`.

    Written by routers, read by whoever is asked about a job whose events are no longer kept. Used from one event loop.
    Every method has a deadline and raises `Unavailable`; all may be repeated. Another error than that is for good.
    """

    async def note(self, notes: Sequence[JobNote]) -> None:
        """Write all of them, or none; durable when it returns.

        A record only goes forward. Within an epoch that is the seq; a log that began anew follows on an attempt that
        is as new or newer. What says nothing new is left out, so notes may come twice or late.
        """

    async def find(self, job_id: str) -> JobRecord | None:
        """What is known of a job; None if that is nothing."""

    async def drop(self, before: float, limit: int) -> int:
        """Forget jobs that nothing was heard of since that time, at most so many; returns how many they were."""

    async def drop_beyond(self, most: int, limit: int) -> int:
        """Forget the oldest jobs beyond so many, at most as many as `limit`; returns how many they were."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
