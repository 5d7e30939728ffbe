"""Stop a task's code: really, also when it looks away."""

import asyncio
import inspect
import logging
from types import TracebackType
from typing import Self

#: Seconds between two attempts to cancel code that catches CancelledError and goes on.
AGAIN_AFTER = 1.0

log = logging.getLogger("goatherd.worker")


class Cutoff:
    """Cancels the surrounding asyncio task when time is up, and again until it ends.

    Like `asyncio.timeout`, but code that swallows the first cancellation meets the next. After the block, `expired`
    tells whether it was cut off; the cancellation does not leave the block.
    """

    def __init__(self, seconds: float, what: str) -> None:
        self._seconds = seconds
        self._what = what
        self._cancels = 0
        self.expired = False

    def __enter__(self) -> Self:
        task = asyncio.current_task()
        assert task is not None, "only code of a task can be cut off"
        self._task = task
        self._timer = asyncio.get_running_loop().call_later(max(0.0, self._seconds), self._cut)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._timer.cancel()
        others = 0
        for _ in range(self._cancels):
            others = self._task.uncancel()
        return self._cancels > 0 and others == 0 and kind is not None and issubclass(kind, asyncio.CancelledError)

    def _cut(self) -> None:
        self.expired = True
        if self._cancels:
            log.warning("%s was told to stop (%d) and goes on: it catches CancelledError", self._what, self._cancels)
        self._cancels += 1
        self._task.cancel()
        self._timer = asyncio.get_running_loop().call_later(AGAIN_AFTER, self._cut)


def stop(task: asyncio.Task[None]) -> None:
    """Cancel it, but not before it has begun: then it would never say that it has ended, and keep its place."""
    if inspect.getcoroutinestate(task.get_coro()) == inspect.CORO_CREATED:  # type: ignore[arg-type]  # it is one
        asyncio.get_running_loop().call_soon(task.cancel)
    else:
        task.cancel()
