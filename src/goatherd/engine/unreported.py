"""What happened in this process and is in no report yet."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from goatherd.model.process import NOTHING, Counted
from goatherd.model.readings import Readings

#: What the ends of attempts are counted as; one that was cancelled or handed back is no news.
_ENDS: Final[Mapping[str, str]] = {"done": "done", "failed": "failed", "expired": "failed", "retried": "retried"}


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in a span of time."""

    counted: Mapping[str, Counted]
    seconds: float


class Unreported:
    """Of one process and app; whoever takes something has to see that it is told.

    Several loops of the process may take, each its part: nothing is told twice.
    """

    def __init__(self) -> None:
        self._told: Mapping[str, Counted] = {}
        self._since = time.monotonic()
        self._taking = threading.Lock()

    def take(self, readings: Callable[[], Readings]) -> Taken:
        """What happened since it was last taken, by what the process has counted in all."""
        with self._taking:
            told, self._told = self._told, totals(readings())
            since, self._since = self._since, time.monotonic()
            news = {name: count - told.get(name, NOTHING) for name, count in self._told.items()}
            return Taken(counted={name: count for name, count in news.items() if count}, seconds=self._since - since)


def totals(readings: Readings) -> Mapping[str, Counted]:
    """What happened since the process began, by queue or pattern."""
    found: dict[str, dict[str, int]] = {}

    def add(queue: str, what: str, count: int) -> None:
        counts = found.setdefault(queue, {})
        counts[what] = counts.get(what, 0) + count

    for (queue, _), count in readings.sent.items():
        add(queue, "sent", count)
    for (queue, _, outcome), count in readings.ended.items():
        if (what := _ENDS.get(outcome)) is not None:
            add(queue, what, count)
    for (queue, _, _), count in readings.buried.items():
        add(queue, "dead", count)
    return {queue: Counted(**counts) for queue, counts in found.items()}
