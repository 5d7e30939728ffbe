"""An app with verbs that wait."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, Self, TypeVar, overload

from goatherd.app import Goatherd
from goatherd.engine.dispatch import by_connection
from goatherd.engine.enqueue import BATCH
from goatherd.model.health import Health
from goatherd.model.job import Job
from goatherd.pipeline import Pipeline
from goatherd.roles import Role
from goatherd.run import Run
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.health import health_of
from goatherd.sync.opened import LAST_MOMENTS
from goatherd.sync.process import PROCESS
from goatherd.sync.run import BlockingRun
from goatherd.sync.serving import Serving
from goatherd.sync.unanswered import not_accepted
from goatherd.sync.within import patience_for, write_within
from goatherd.task import Task

_P = ParamSpec("_P")
_R = TypeVar("_R")
_I = TypeVar("_I")
_O = TypeVar("_O")

#: Seconds that a broker may take to let go.
CLOSE_DEADLINE = 10.0


class BlockingApp:
    """What `blocking(app)` gives."""

    __slots__ = ("_app",)

    def __init__(self, app: Goatherd) -> None:
        self._app = app

    def __repr__(self) -> str:
        return f"blocking({self._app!r})"

    def send_many(self, jobs: Iterable[Job[Any]]) -> list[str]:
        """Send jobs of any tasks in one go, in order; returns their ids."""
        # Whatever makes the jobs is the caller's code, and may block.
        app, every = self._app, list(jobs)
        verb = f"{app.name}.send_many"
        ids: dict[int, str] = {}
        for _, those in by_connection(every):
            ids |= zip(map(id, those), write_within(app, verb, those, tracked=False), strict=True)
        ready = [job for job in every if job.options.within is None]
        if ready or not every:
            errand = Errand(verb, app, lambda: app.send_many(ready))
            seconds = patience_for(ready, max(1, -(-len(ready) // BATCH)) * app.settings.publish_deadline)
            sent = ask(errand, seconds, not_accepted(errand, [job.id for job in ready]))
            ids |= zip(map(id, ready), sent, strict=True)
        return [ids[id(job)] for job in every]

    def serve(self, *roles: Role) -> AbstractContextManager[Self]:
        """Run roles on the I/O thread from now on, until the process or the `with` block ends."""
        return Serving(self, self._app, roles)

    @overload
    def run(self, id: str) -> BlockingRun[Any]: ...
    @overload
    def run(self, id: str, of: Task[_P, _R]) -> BlockingRun[_R]: ...
    @overload
    def run(self, id: str, of: Pipeline[_I, _O]) -> BlockingRun[_O]: ...
    def run(self, id: str, of: Task[..., Any] | Pipeline[Any, Any] | None = None) -> BlockingRun[Any]:
        """A tracked job or a pipeline's run by its id; with `of` its result has that one's type."""
        return BlockingRun(Run(self._app, id, None if of is None else of.definition))

    def health(self) -> Health:
        """The state of this process and of its queues, also when the I/O thread is stuck or the broker is away."""
        return health_of(self._app)

    def metrics(self) -> str:
        """This process's metrics in Prometheus text."""
        return self._app.metrics()

    def close(self) -> None:
        """Stop what is served and let go of the broker; the next verb opens the app anew."""
        app, thread = self._app, PROCESS.thread
        if thread is None or thread.is_over:
            return
        errand = Errand(f"{app.name}.close", None, lambda: thread.apps.close(app))
        ask(errand, LAST_MOMENTS + CLOSE_DEADLINE + thread.apps.grace_period, not_accepted(errand))
