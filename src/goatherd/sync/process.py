"""The I/O thread of this process: started by the first verb, again after a fork, closed at exit."""

import atexit
import logging
import os
import threading

from goatherd.errors import Unavailable
from goatherd.sync.io_thread import IOThread

#: Seconds that closing may take when the interpreter ends, beside what served jobs get to end.
EXIT_PATIENCE = 5.0
#: Seconds that a fork waits for an event loop that is busy.
FORK_PATIENCE = 2.0

log = logging.getLogger("goatherd.sync")


class Process:
    """One for a process, made when this module is imported."""

    def __init__(self) -> None:
        self.thread: IOThread | None = None
        self._starting = threading.Lock()
        self._ending = False
        self._of_parents: list[IOThread] = []

    def io_thread(self) -> IOThread:
        """The thread, started if need be; raises Unavailable when the interpreter is ending."""
        thread = self.thread
        if thread is not None and not thread.is_over:
            return thread
        with self._starting:
            if self._ending:
                raise Unavailable(
                    "The interpreter is ending and the I/O thread of goatherd.sync is closed, so nothing was sent. "
                    "Functions registered with atexit after goatherd.sync was imported may still use verbs."
                )
            if self.thread is None or self.thread.is_over:
                self.thread = IOThread()
            return self.thread

    def exit(self) -> None:
        """Close everything, without ever hanging."""
        with self._starting:
            self._ending = True
        thread = self.thread
        if thread is not None and not thread.end(EXIT_PATIENCE + thread.apps.grace_period):
            log.error("The I/O thread did not end in time; the interpreter ends without it. %s", thread.whereabouts())

    # --- around a fork ----------------------------------------------------------------------------

    def rest(self) -> None:
        """Only the thread that forks is copied: what others are in the middle of would never end in the child."""
        self._starting.acquire()
        if self.thread is not None:
            self.thread.rest(FORK_PATIENCE)

    def go_on(self) -> None:
        """In the parent, everything is as it was."""
        if self.thread is not None:
            self.thread.go_on()
        self._starting.release()

    def forget(self) -> None:
        """In the child, nothing of the parent's is used, and nothing of it is closed.

        Sockets and loop are shared with the parent: if they were collected here, they would be unregistered there.
        """
        if self.thread is not None:
            self._of_parents.append(self.thread)
        self.thread = None
        self._starting = threading.Lock()


PROCESS = Process()
os.register_at_fork(before=PROCESS.rest, after_in_parent=PROCESS.go_on, after_in_child=PROCESS.forget)
# Functions registered later run earlier, so they can still use verbs.
atexit.register(PROCESS.exit)
