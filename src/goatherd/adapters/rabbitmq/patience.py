"""One timer for many waits of the same length, because a timer of its own for each would cost more than the wait."""

import asyncio
from collections import deque
from typing import Protocol


class Wait(Protocol):
    """Something that ends; a future is one."""

    def done(self) -> bool:
        """Whether it has ended."""

    def set_exception(self, error: TimeoutError, /) -> None:
        """End it in vain."""


class Patience:
    """Ends waits that are not done in time with a TimeoutError."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        #: Oldest first, which is also the order in which their time is up.
        self._waiting: deque[tuple[float, Wait]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def limit(self, wait: Wait) -> None:
        """It has so many seconds from now."""
        self._forget_done()
        loop = asyncio.get_running_loop()
        self._waiting.append((loop.time() + self.seconds, wait))
        if self._timer is None:
            self._timer = loop.call_at(self._waiting[0][0], self._time_is_up)

    def _time_is_up(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        self._forget_done()
        while self._waiting and self._waiting[0][0] <= loop.time():
            wait = self._waiting.popleft()[1]
            if not wait.done():
                wait.set_exception(TimeoutError())
        self._forget_done()
        if self._waiting:
            self._timer = loop.call_at(self._waiting[0][0], self._time_is_up)

    def _forget_done(self) -> None:
        while self._waiting and self._waiting[0][1].done():
            self._waiting.popleft()
