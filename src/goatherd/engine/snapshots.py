"""Readings for threads that are not the event loop's, such as those of exporters."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

from goatherd.model.readings import Readings

#: Seconds for which readings are good enough: an exporter asks for each metric by itself.
FRESH_FOR = 1.0
#: Seconds that an exporter waits for an event loop that is busy; after that it gets what was read before.
DEADLINE = 2.0

log = logging.getLogger("goatherd.metrics")


class Snapshots:
    """Of one app. Readings are taken on its event loop, for what they are made of changes there."""

    def __init__(self, read: Callable[[], Readings]) -> None:
        self._read = read
        self._asking = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._taken_at = 0.0
        self._last = read()

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """From now on they can be taken on this loop."""
        self._loop = loop
        self._take()

    def close(self, loop: asyncio.AbstractEventLoop) -> None:
        """The loop ends: what is read now is given from then on, so that the last counts are exported, too."""
        if self._loop is loop:
            self._take()
            self._loop = None

    def now(self) -> Readings:
        """The readings of now, or of a moment ago; on any thread. Does not raise."""
        with self._asking:
            loop = self._loop
            if loop is not None and time.monotonic() - self._taken_at > FRESH_FOR:
                self._ask(loop)
            return self._last

    def _ask(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            if asyncio.get_running_loop() is loop:
                self._take()
                return
        except RuntimeError:
            log.debug("Readings are asked for on another thread")
        taken: Future[None] = Future()

        def take() -> None:
            try:
                self._take()
            finally:
                taken.set_result(None)

        try:
            loop.call_soon_threadsafe(take)
            taken.result(DEADLINE)
        except (RuntimeError, TimeoutError):
            # It is closed, or something blocks it; what blocks it is told by the watchdog.
            log.debug("The event loop does not tell its metrics now")
            # Or all metrics would be waited for, one after the other.
            self._taken_at = time.monotonic()

    def _take(self) -> None:
        self._last = self._read()
        self._taken_at = time.monotonic()
