"""One verb on its way: asked for by a thread, done on the I/O thread, and waited for."""

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from goatherd.app import Goatherd

#: Seconds after which a thread that waits looks up: a Ctrl-C just before it began to wait goes unnoticed until then.
TURN = 0.5

_R = TypeVar("_R")


class Errand(Generic[_R]):
    """Belongs to the thread that waits, except for `task` and `settle`, which belong to the I/O thread."""

    __slots__ = ("_settled", "app", "context", "do", "error", "name", "result", "started", "task", "withdrawn")

    def __init__(self, name: str, app: Goatherd | None, do: Callable[[], Coroutine[Any, Any, _R]]) -> None:
        #: How the async verb is written.
        self.name = name
        #: The app that must be open; None if it need not be.
        self.app = app
        self.do = do
        # What the calling job knows, its trace and its deadline, goes with it.
        self.context = contextvars.copy_context()
        self.task: asyncio.Task[None] | None = None
        #: Whether it got as far as the broker.
        self.started = False
        #: Whether nobody waits for it any more.
        self.withdrawn = False
        self.result: _R | None = None
        self.error: BaseException | None = None
        # A bare lock costs a fifth of what a future of the standard library does.
        self._settled = threading.Lock()
        self._settled.acquire()

    def settle(self) -> None:
        """Wake the thread that waits: `result` or `error` is there."""
        self._settled.release()

    def wait(self, seconds: float) -> bool:
        """Wait so long for the outcome; false if it did not come."""
        if self._settled.acquire(timeout=min(seconds, TURN)):
            return True
        until = time.monotonic() + seconds - TURN
        while (left := until - time.monotonic()) > 0:
            if self._settled.acquire(timeout=min(left, TURN)):
                return True
        return False

    def outcome(self) -> _R:
        """What the verb returned; raises what it raised."""
        error, self.error = self.error, None
        if error is None:
            return self.result  # type: ignore[return-value]  # settled without an error, so there is a result
        try:
            raise error
        finally:
            # The traceback holds this frame, which must not hold the error.
            del error

    def cancel(self) -> None:
        """Stop it; on the I/O thread only."""
        if self.task is not None:
            self.task.cancel()
