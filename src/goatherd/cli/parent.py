"""The worker's side of the line to the process that started it (its parent: `--processes` or `dev`).

The line is a socket. The worker says on it that it takes jobs; the parent says on it to hurry. When the parent is gone,
however it died, the line breaks, and the worker ends in good order instead of living on unseen.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Callable

#: What the parent writes to cut the grace period short.
HURRY = b"h"
#: Seconds beyond the grace period after which a worker whose parent is gone leaves without finishing.
LAST_RESORT = 30.0

log = logging.getLogger("goatherd.worker")


class ParentLine:
    """The line to the parent; `listen` once the event loop runs."""

    def __init__(self, descriptor: int) -> None:
        self._socket = socket.socket(fileno=descriptor)
        # A program that a task starts must not hold the line after us.
        self._socket.set_inheritable(False)

    def keep_ctrl_c_away(self) -> None:
        """Ctrl-C in a terminal reaches every process of the group; what it means is decided by the parent alone.

        The parent starts us with the signal blocked, so that none can slip in before this. It is not ignored but
        answered with nothing, because programs that a task starts would inherit the ignoring.
        """
        signal.signal(signal.SIGINT, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    def say_ready(self, grace_period: float) -> None:
        """Tell the parent that jobs are taken, and how long running ones may take to end."""
        try:
            self._socket.sendall(f"ready {grace_period}\n".encode())
        except OSError:
            log.debug("The parent is gone before it could be told that jobs are taken")

    def listen(self, hurry: Callable[[], None], gone: Callable[[], None], grace_period: float) -> None:
        """Call these on the running loop when the parent says so or is gone."""
        loop = asyncio.get_running_loop()

        def serve() -> None:
            while self._read() == HURRY:
                loop.call_soon_threadsafe(hurry)
            try:
                loop.call_soon_threadsafe(gone)
            except RuntimeError:
                return  # the loop has ended, and the process is about to
            # A task that blocks the event loop would keep this process for ever, with nobody left to end it.
            time.sleep(grace_period + LAST_RESORT)
            log.error("The worker did not end after its parent; leaving now, its jobs are given to others")
            os._exit(1)

        # A thread, because it must also notice the parent's end while a task blocks the loop.
        threading.Thread(target=serve, name="goatherd-parent", daemon=True).start()

    def _read(self) -> bytes:
        try:
            return self._socket.recv(1)
        except OSError:
            return b""
