"""What is remembered beside the queues, in small Protocols that one adapter may satisfy together."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec


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
