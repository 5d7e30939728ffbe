"""A tracked job with verbs that wait."""

from __future__ import annotations

from typing import Any, Generic, TypeVar, cast

from goatherd.model.job_state import Status
from goatherd.model.seconds import Seconds, seconds
from goatherd.run import Run
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.unanswered import not_accepted

_R_co = TypeVar("_R_co", covariant=True)

#: Seconds that a store may take to say how a job stands.
LOOK_DEADLINE = 10.0
#: Seconds that a result is waited for when nobody said how long: a year.
FOR_EVER = 365 * 86_400.0


class BlockingRun(Generic[_R_co]):
    """What `blocking(run)` gives."""

    __slots__ = ("_run",)

    def __init__(self, run: Run[_R_co]) -> None:
        self._run = run

    def __repr__(self) -> str:
        return f"blocking({self._run!r})"

    @property
    def id(self) -> str:
        """The job's id."""
        return self._run.id

    def status(self) -> Status:
        """In one word; raises UnknownJob."""
        run = self._run
        errand: Errand[Any] = Errand("run.status", run.app, run.status)
        return cast(Status, ask(errand, LOOK_DEADLINE, not_accepted(errand)))

    def result(self, timeout: Seconds | None = None) -> _R_co:
        """Wait for the end; `JobFailed` if it failed, `TimeoutError` if you waited enough."""
        run = self._run
        errand: Errand[Any] = Errand("run.result", run.app, lambda: run.result(timeout))
        limit = FOR_EVER if timeout is None else seconds(timeout)
        return cast(_R_co, ask(errand, limit, TimeoutError))
