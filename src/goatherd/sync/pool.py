"""The threads of the I/O loop for what blocks: name look-ups, files."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")

#: As many as the standard library's pool has at most.
MOST = 32


class DaemonPool(ThreadPoolExecutor):
    """A pool that works until the very end and never delays it.

    The standard library's own is closed before the functions of `atexit` are called, and it waits for its threads
    without a limit: a look-up of a name that hangs would keep the process for ever.
    """

    def __init__(self) -> None:
        super().__init__(max_workers=1)
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._counting = threading.Lock()
        self._idle = self._made = 0

    def submit(self, fn: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        """Call it in a thread; the future gets its outcome."""
        outcome: Future[_R] = Future()

        def call() -> None:
            if not outcome.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - told to whoever waits for the outcome
                outcome.set_exception(error)
            else:
                outcome.set_result(result)

        with self._counting:
            if self._idle:
                self._idle -= 1
            elif self._made < MOST:
                threading.Thread(target=self._work, name=f"goatherd-io-{self._made + 1}", daemon=True).start()
                self._made += 1
            self._calls.put(call)
        return outcome

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let the threads end; never waits."""
        with self._counting:
            for _ in range(self._made):
                self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            del call
            with self._counting:
                self._idle += 1
