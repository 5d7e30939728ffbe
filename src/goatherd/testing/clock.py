"""A clock that stands still until it is moved."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count

from goatherd.ports.clock import Timer


class Waiting:
    """Something that will happen when the clock is moved; satisfies `Timer`."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None


class FakeClock:
    """Satisfies `Clock`; its time may be read from any thread."""

    def __init__(self, start: float) -> None:
        self._now = start
        self._order = count()
        self._waiting: list[tuple[float, int, Waiting]] = []

    def now(self) -> float:
        return self._now

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        if when <= self._now:
            return asyncio.get_running_loop().call_soon(callback)
        timer = Waiting(callback)
        heapq.heappush(self._waiting, (when, next(self._order), timer))
        return timer

    def next_moment(self) -> float | None:
        """When the next thing will happen; None when nothing will."""
        while self._waiting and self._waiting[0][2].callback is None:
            heapq.heappop(self._waiting)
        return self._waiting[0][0] if self._waiting else None

    def move_to(self, moment: float) -> None:
        """Let it be that late, and let everything happen that waited for it, in order."""
        while (upcoming := self.next_moment()) is not None and upcoming <= moment:
            self._now = upcoming
            _, _, timer = heapq.heappop(self._waiting)
            if timer.callback is not None:
                timer.callback()
        self._now = moment
