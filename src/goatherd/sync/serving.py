"""Roles that run on the I/O thread."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from goatherd.app import Goatherd
from goatherd.roles import Role
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.process import PROCESS
from goatherd.sync.unanswered import not_accepted

_B = TypeVar("_B")

#: Seconds that roles may take to start: a lifespan may load large models.
START_DEADLINE = 300.0
#: Seconds to stop, beside what running jobs get to end.
STOP_DEADLINE = 10.0


class Serving(AbstractContextManager[_B]):
    """Starts when it is made; ends with its `with` block, or with the process."""

    def __init__(self, blocking_app: _B, app: Goatherd, roles: Sequence[Role]) -> None:
        self._blocking_app = blocking_app
        self._app = app
        errand = Errand(f"{app.name}.serve", app, lambda: PROCESS.io_thread().apps.serve(app, roles))
        self._kept = ask(errand, START_DEADLINE, not_accepted(errand))
        self._thread = PROCESS.thread

    def __enter__(self) -> _B:
        return self._blocking_app

    def __exit__(self, *_: object) -> None:
        thread, app, kept = self._thread, self._app, self._kept
        # After a fork it is the parent's, and after the thread's end it is gone.
        if thread is None or thread is not PROCESS.thread or thread.is_over:
            return
        errand = Errand(f"{app.name}.serve", None, lambda: thread.apps.stop(app, kept))
        ask(errand, STOP_DEADLINE + app.settings.grace_period, not_accepted(errand))
