"""Time, so that tests can hold it."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen."""

    def cancel(self) -> None:
        """Let it not happen; harmless afterwards."""


class Clock(Protocol):
    """Tells the time and what to do when it comes. Used on the event loop."""

    def now(self) -> float:
        """Seconds since the epoch."""

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        """Call it on this loop at or shortly after that time; at once if it has passed."""


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        return time.time()

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(max(0.0, when - time.time()), callback)
