"""Commands from outside: where they come from, and where they are kept until they are jobs and gone from there."""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from goatherd.model.command import Command, StoredCommand


class CommandSource(Protocol):
    """Where other programs put commands.

    Used from one event loop. `remove` and each step of `commands` have a deadline of their own; both raise
    `Unavailable` when the source is away, with how long to wait as `retry_after`, and `SettingsError` when it is
    there and refuses us for good.
    """

    def commands(self) -> AsyncGenerator[Sequence[Command], None]:
        """All that are there, then those that come, some at a time. One may be given again while it is not removed.

        Nothing at all is given, too, as a sign of life. It ends, or raises Unavailable, when the source is lost; asked
        anew, it begins with all that are there. One that is listening does not keep others from `remove`.
        """

    async def remove(self, keys: Sequence[str]) -> None:
        """Take commands away; those that are gone do not matter."""

    async def close(self) -> None:
        """Let go of the source. Idempotent."""


class InboxRecords(Protocol):
    """Keeps commands of one app; every adapter passes `goatherd.testing.suites.InboxSuite`.

    Used from one event loop. Every method has a deadline, raises `Unavailable` and may be repeated. A command is known
    by its inbox (the source's address, without secrets) and its key. Many processes hear of a command; whoever stores
    it has it in hand for `hold` seconds, and after that whoever takes it over.
    """

    async def store(self, inbox: str, commands: Sequence[Command], hold: float) -> Sequence[StoredCommand]:
        """Put commands on record, durable when it returns; how each stands, in the order given.

        One that is on record is left as it is. A key that comes twice is stored once, with its first body.
        """

    async def take_over(self, inbox: str, limit: int, hold: float) -> Sequence[StoredCommand]:
        """Take those into hand that are not sent or not removed and that nobody has, oldest first."""

    async def sent(self, inbox: str, keys: Sequence[str]) -> None:
        """Their jobs are sent; the body is forgotten."""

    async def removed(self, inbox: str, keys: Sequence[str]) -> None:
        """They are gone from their source."""

    async def forget(self, older_than: float, limit: int) -> int:
        """Forget commands that were stored so many seconds ago, sent and removed; returns how many."""

    async def close(self) -> None:
        """Let go of the store. Idempotent."""
