"""Threads for plain functions: as many as run at once, reused, and never in the way of the process's end."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeAlias

from goatherd.model.verdict import as_exception

_Call: TypeAlias = tuple[Callable[[], Any], "asyncio.Future[Any]"]


class Threads:
    """Runs functions in daemon threads.

    The standard library's pool is joined at interpreter exit, so one function that hangs would keep the process
    for ever; these threads end with it. A new one is made only when none is idle.
    """

    def __init__(self) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._idle = 0
        self._made = 0
        self._lock = threading.Lock()

    def run(self, function: Callable[[], Any]) -> "asyncio.Future[Any]":
        """Start it in a thread, with the caller's context variables; the future gets its outcome."""
        outcome = asyncio.get_running_loop().create_future()
        call = contextvars.copy_context().run
        with self._lock:
            if self._idle:
                self._idle -= 1
            else:
                self._made += 1
                threading.Thread(target=self._serve, name=f"goatherd-task-{self._made}", daemon=True).start()
        self._calls.put((lambda: call(function), outcome))
        return outcome

    def close(self) -> None:
        """Let idle threads end; one that still runs ends after its function."""
        with self._lock:
            for _ in range(self._made):
                self._calls.put(None)

    def _serve(self) -> None:
        while (taken := self._calls.get()) is not None:
            function, outcome = taken
            result, error = None, None
            try:
                result = function()
            except BaseException as raised:  # noqa: BLE001 - told to whoever waits for the outcome
                error = raised
            with self._lock:
                self._idle += 1
            _tell(outcome, result, error)
            del taken, function, outcome, result, error


def _tell(outcome: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    def settle() -> None:
        if outcome.done():
            return
        if error is not None:
            # A future cannot carry StopIteration, and sys.exit() would end the loop instead of the attempt.
            outcome.set_exception(as_exception(error))
        else:
            outcome.set_result(result)

    try:
        outcome.get_loop().call_soon_threadsafe(settle)
    except RuntimeError:
        # The loop has closed: the attempt was handed back long ago and nobody waits.
        return
