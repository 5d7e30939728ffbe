"""What every gateway offers, so that one frame can measure them all alike."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from pathlib import Path
from typing import Protocol

from benchmarks.contender import Named, Promise

#: Nobody here syncs; what differs is whether a client that comes back is told what it missed.
KEEPS = Promise(delivery="at least once", synced=True, note="events are kept: a client that comes back misses nothing")
FORGETS = Promise(delivery="at most once", synced=False, note="nothing is kept: a client that is away misses it")


class Feed(Protocol):
    """Whoever makes events, in a process of its own or in that of the clients."""

    async def begin(self, job: str) -> None:
        """Make a job to which things happen."""

    async def say(self, job: str, text: str, times: int = 1) -> None:
        """One event with this text, or many in one step; made when this returns."""


class Gateway(Named, Protocol):
    """One way to serve events."""

    def store(self, room: Path) -> AbstractContextManager[None]:
        """Start what keeps the events, if it is a server."""

    def command(self, room: Path, port: int) -> Sequence[str]:
        """The server."""

    def environment(self, room: Path) -> Mapping[str, str]:
        """Its settings."""

    def path(self, job: str) -> str:
        """Where a job's events are."""

    def feeding(self, room: Path, port: int) -> AbstractAsyncContextManager[Feed]:
        """Open a way to make events."""
