"""Tell watchers of events that are kept on another server than the one that calls them."""

from collections.abc import Sequence
from typing import Protocol

from goatherd.ports.feed import Fed


class Relay(Protocol):
    """Calls the watchers of jobs.

    Used from one event loop, by one task. Every method has a deadline and raises `Unavailable`.
    """

    async def publish(self, events: Sequence[Fed]) -> int:
        """Call the watchers of each job with its events, in this order; returns how many events were told.

        What the relay remembers to have told is left out. It remembers after it has told, so nothing is skipped that
        was not told; a watcher may hear a thing twice, and knows it by its position.
        """

    async def close(self) -> None:
        """Let go of the server. Idempotent."""
