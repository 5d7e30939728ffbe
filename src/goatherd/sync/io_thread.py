"""One thread with one event loop, on which the verbs of all other threads are done."""

import asyncio
import contextvars
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from goatherd.engine.loops import faster_loop
from goatherd.engine.whereabouts import whereabouts
from goatherd.errors import Unavailable
from goatherd.sync.errand import Errand
from goatherd.sync.opened import OpenApps
from goatherd.sync.pool import DaemonPool

#: Seconds between two heartbeats of the loop, and without one after which it counts as stuck.
BEAT_EVERY, SILENT_AFTER = 1.0, 3.0
#: Seconds that what is left on the loop gets to end with it.
LAST_MOMENT = 1.0

log = logging.getLogger("goatherd.sync")


class IOThread:
    """Takes errands from any thread; everything else of it happens on its own."""

    def __init__(self) -> None:
        self.apps = OpenApps()
        self._loop = (faster_loop() or asyncio.new_event_loop)()
        self._pool = DaemonPool()
        self._loop.set_default_executor(self._pool)
        # Errands come in without a lock: only who finds the loop not called yet calls it.
        self._asked: deque[Errand[Any]] = deque()
        self._called = False
        self._context = contextvars.Context()
        self._last_beat = time.monotonic()
        self._over = False
        self._go_on = threading.Event()
        self._thread = threading.Thread(target=self._run, name="goatherd-io", daemon=True)
        self._thread.start()

    # --- for other threads ------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether it takes no more errands."""
        return self._over

    @property
    def silence(self) -> float:
        """Seconds since the loop's last heartbeat."""
        return time.monotonic() - self._last_beat

    @property
    def is_silent(self) -> bool:
        """Whether the loop is stuck in somebody's code."""
        return self.silence > SILENT_AFTER

    def submit(self, errand: Errand[Any]) -> None:
        """Have it done; raises Unavailable if the thread has ended."""
        self._asked.append(errand)
        if not self._called:
            self._called = True
            self._call(self._take)

    def withdraw(self, errand: Errand[Any]) -> None:
        """Nobody waits for it any more."""
        errand.withdrawn = True
        with suppress(Unavailable):  # a thread that has ended does nothing anyway
            self._call(errand.cancel)

    def rest(self, seconds: float) -> None:
        """Hold the loop between two turns until `go_on`, where it holds no lock and is in no import.

        One that does not come to rest in time is left alone.
        """
        if threading.get_ident() == self._thread.ident:
            return
        at_rest, self._go_on = threading.Event(), threading.Event()
        go_on = self._go_on

        def pause() -> None:
            at_rest.set()
            go_on.wait()

        with suppress(Unavailable):  # it has ended, and rests for ever
            self._call(pause)
            at_rest.wait(seconds)

    def go_on(self) -> None:
        """Let the loop go on."""
        self._go_on.set()

    def whereabouts(self) -> str:
        """The line of code that the thread is at."""
        return whereabouts(self._thread.ident)

    def end(self, seconds: float) -> bool:
        """Close every app and end the thread; false if it did not end in time."""
        until = time.monotonic() + seconds
        errand = Errand("close", None, self.apps.close_all)
        with suppress(Unavailable):  # it has ended by itself
            self.submit(errand)
            errand.wait(seconds)
            self._call(self._loop.stop)
        self._thread.join(max(0.0, until - time.monotonic()))
        return not self._thread.is_alive()

    def _call(self, function: Callable[[], object]) -> None:
        try:
            self._loop.call_soon_threadsafe(function, context=self._context)
        except RuntimeError as error:
            raise Unavailable("The I/O thread of goatherd.sync has ended, so nothing was sent.") from error

    # --- on the thread itself ---------------------------------------------------------------------

    def _run(self) -> None:
        log.info("I/O thread started")
        self._beat()
        try:
            self._loop.run_forever()
        finally:
            self._over = True
            self._close_loop()
            self._tell_those_left()

    def _beat(self) -> None:
        self._last_beat = time.monotonic()
        self._loop.call_later(BEAT_EVERY, self._beat)

    def _take(self) -> None:
        # First this, then the errands: who comes in between calls again.
        self._called = False
        while self._asked:
            errand = self._asked.popleft()
            if not errand.withdrawn:
                errand.task = self._loop.create_task(self._carry_out(errand), name=errand.name, context=errand.context)

    async def _carry_out(self, errand: Errand[Any]) -> None:
        try:
            if errand.app is None:
                errand.result = await errand.do()
            else:
                verbs = (self.apps.ready(errand.app) or await self.apps.open(errand.app)).verbs
                verbs.add(errand)
                errand.started = True
                try:
                    errand.result = await errand.do()
                finally:
                    verbs.discard(errand)
        except asyncio.CancelledError:
            errand.error = Unavailable(
                f"The app was closed or the program ended before {errand.name} was answered, so it is not known "
                f"whether it was accepted."
            )
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            errand.error = error
        finally:
            errand.settle()

    def _close_loop(self) -> None:
        """As `asyncio.run` does it, but never for long and without a new thread, which cannot be had at the end."""
        loop = self._loop
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.wait(left, timeout=LAST_MOMENT))
        loop.run_until_complete(loop.shutdown_asyncgens())
        self._pool.shutdown()
        loop.close()

    def _tell_those_left(self) -> None:
        while self._asked:
            errand = self._asked.popleft()
            errand.error = Unavailable("The I/O thread of goatherd.sync has ended, so nothing was sent.")
            errand.settle()
