"""The heartbeat of an event loop, for other threads to look at."""

import asyncio
import threading
import time

from goatherd.engine.whereabouts import whereabouts

#: Seconds between two heartbeats, and without one after which the loop counts as stuck.
BEAT_EVERY, SILENT_AFTER = 0.5, 10.0


class Pulse:
    """Of the loop on which it is started."""

    def __init__(self, silent_after: float = SILENT_AFTER) -> None:
        self._silent_after = silent_after
        self._last_beat = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: int | None = None

    def start(self) -> None:
        """Beat from now on."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._beat()

    def stop(self) -> None:
        """Beat no more."""
        if self._timer is not None:
            self._timer.cancel()

    @property
    def silence(self) -> float:
        """Seconds since the last heartbeat."""
        return time.monotonic() - self._last_beat

    @property
    def trouble(self) -> str | None:
        """Where the loop is stuck; None if it is not."""
        silence = self.silence
        if silence <= self._silent_after:
            return None
        return f"the event loop has been stuck for {silence:.0f} s at {whereabouts(self._thread)}"

    def _beat(self) -> None:
        assert self._loop is not None, "it is started first"
        self._last_beat = time.monotonic()
        self._timer = self._loop.call_later(BEAT_EVERY, self._beat)
