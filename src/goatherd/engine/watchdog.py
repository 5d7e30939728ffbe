"""Notice code that blocks the event loop, and name it."""

import asyncio
import logging
import sys
import threading
import time
import traceback

#: Seconds without a turn of the loop after which its stack is told.
PATIENCE = 1.0

log = logging.getLogger("goatherd.worker")


class Watchdog:
    """Watches one event loop from a thread; `start` on the loop, `stop` when done."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._last_turn = time.monotonic()
        self._ended = threading.Event()
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Watch the running loop."""
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.get_ident()
        self._turn()
        self._thread = threading.Thread(target=self._watch, name="goatherd-watchdog", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Watch no more."""
        if self._timer is not None:
            self._timer.cancel()
        self._ended.set()
        self._thread.join()

    def _turn(self) -> None:
        self._last_turn = time.monotonic()
        self._timer = self._loop.call_later(self._patience / 4, self._turn)

    def _watch(self) -> None:
        told = 0.0
        while not self._ended.wait(self._patience / 4):
            last_turn = self._last_turn
            blocked = time.monotonic() - last_turn
            if blocked > self._patience and told != last_turn:
                told = last_turn
                self._tell(blocked)

    def _tell(self, blocked: float) -> None:
        frame = sys._current_frames().get(self._loop_thread)
        stack = "".join(traceback.format_stack(frame)) if frame is not None else "  (no stack)\n"
        log.warning(
            "The event loop has been blocked for %.1f s by %s: no other job of this process moves. Use `await`, or "
            "make the task a plain `def`, which runs in a thread. It is here:\n%s",
            blocked, self._culprit(), stack,
        )  # fmt: skip

    def _culprit(self) -> str:
        task = asyncio.current_task(self._loop)
        return task.get_name() if task is not None else "code outside of any task"
