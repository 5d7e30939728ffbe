"""Commands from outside: where they come from, and where they are kept until they are jobs and gone from there."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from goatherd.model.command import Command, StoredCommand


class CommandSource(Protocol):
    """Where other programs put commands.

    Used from one event loop. `remove` and each step of `commands` have a deadline of their own; both raise
    `Unavailable` when the source is away, with how long to wait as `retry_after`, and `SettingsError` when it is
    there and refuses us for good.
    """

    def commands(self) -> AsyncIterator[Sequence[Command]]:
        """All that are there, then those that come, some at a time. One may be given again while it is not removed.

        It ends, or raises Unavailable, when the source is lost; asked anew, it begins with all that are there.
        """

    async def remove(self, keys: Sequence[str]) -> None:
        """Take commands away; those that are gone do not matter."""

    async def close(self) -> None:
        """Let go of the source. Idempotent."""


class InboxRecords(Protocol):
    """Keeps commands of one app; every adapter passes `goatherd.testing.suites.InboxSuite`.

    Used from one event loop. Every method has a deadline, raises `Unavailable` and may be repeated. A command is known
    by its inbox (the source's address, without secrets) and its key.
    """

    async def store(self, inbox: str, commands: Sequence[Command]) -> Sequence[StoredCommand]:
        """Put commands on record, durable when it returns; how each stands. One that is on record is left as it is."""

    async def unfinished(self, inbox: str, limit: int) -> Sequence[StoredCommand]:
        """Commands that are not sent or not removed, oldest first."""

    async def sent(self, inbox: str, keys: Sequence[str]) -> None:
        """Their jobs are sent; the body is forgotten."""

    async def removed(self, inbox: str, keys: Sequence[str]) -> None:
        """They are gone from their source."""

    async def forget(self, older_than: float, limit: int) -> int:
        """Forget commands that were sent and removed so many seconds ago; returns how many."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
