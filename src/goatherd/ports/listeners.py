"""How the listeners of all processes stand, on record for people."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.model.listener import ListenerRow


class ListenerRecords(Protocol):
    """Keeps how listeners stand; every adapter passes `goatherd.testing.suites.ListenerRecordsSuite`.

    Used from one event loop. Every method has a deadline, raises `Unavailable` and may be repeated. Time is the
    store's own. What a process wrote is gone when nothing was heard of it for `alive` seconds.
    """

    async def report(
        self, process: str, rows: Sequence[ListenerRow], gone: Sequence[str], alive: float
    ) -> Sequence[str]:
        """This process lives; write how these listeners stand, and forget those of the queues in `gone`.

        Gives the queues that somebody wants restarted since it was last asked by this process.
        """

    async def find(
        self, *, pattern: str | None = None, unhealthy: bool = False, limit: int = 1000
    ) -> Sequence[ListenerRow]:
        """Listeners of living processes, unhealthy ones first, then by queue."""

    async def restart(self, queue: str) -> int:
        """Ask every process that listens to a queue to start that listener anew; returns how many there are."""

    async def leave(self, process: str) -> None:
        """Forget all that a process wrote."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
