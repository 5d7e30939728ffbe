"""What every contender with keys offers, so that one frame can measure them all alike."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

from benchmarks.contender import Working

#: Jobs that a worker process does at once.
CONCURRENCY = 100


class Keyed(NamedTuple):
    """One job: its key, and the number that it marks."""

    key: int
    number: int


Send: TypeAlias = Callable[[Keyed], Awaitable[None]]
SendMany: TypeAlias = Callable[[Sequence[Keyed]], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Sender:
    """How an open contender sends."""

    #: One job, as promised when it returns.
    one: Send
    #: Many jobs in the fastest way that keeps the order within each key.
    many: SendMany


class Ordered(Working, Protocol):
    """One that keeps the order within a key, or stands beside those that do."""

    @property
    def keeps_order(self) -> bool:
        """Whether it promises that; then it is checked."""

    def sending(self, place: Path) -> AbstractAsyncContextManager[Sender]:
        """Open it for sending."""
