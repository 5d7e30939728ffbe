"""A tracked job with verbs that wait."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Generic, TypeVar, cast

from goatherd.events import Event
from goatherd.model.job_state import Status
from goatherd.model.seconds import Seconds, seconds
from goatherd.run import Run
from goatherd.step import Step
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

    def events(self, after: str | None = None) -> Iterator[Event]:
        """Every event once and in order, past and live, until the end; raises UnknownJob."""
        run = self._run
        coming = run.events(after)
        try:
            while (event := self._ask("events", lambda: anext(coming, None), FOR_EVER)) is not None:
                yield event
        finally:
            self._ask("events", coming.aclose)

    def text(self) -> str:
        """The text streamed so far by the newest attempt; raises UnknownJob."""
        return cast(str, self._ask("text", self._run.text))

    def status(self) -> Status:
        """In one word; raises UnknownJob."""
        return cast(Status, self._ask("status", self._run.status))

    def cancel(self) -> bool:
        """Ask it to stop; false if it had ended."""
        return cast(bool, self._ask("cancel", self._run.cancel))

    def retry_step(self, step: Step[Any] | str) -> None:
        """Of a pipeline's run: try failed work of a step again; raises UnknownStep or UnknownJob."""
        run = self._run
        self._ask("retry_step", lambda: run.retry_step(step))

    def resume_from(self, step: Step[Any] | str) -> None:
        """Of a pipeline's run: forget a step and all that come after it, and do them again."""
        run = self._run
        self._ask("resume_from", lambda: run.resume_from(step))

    def stream_token(self, subject: str, *, expires: Seconds = 900) -> str:
        """A signed pass for the browser of `subject` to watch this run for so many seconds."""
        return self._run.stream_token(subject, expires=expires)

    def result(self, timeout: Seconds | None = None) -> _R_co:
        """Wait for the end; `JobFailed` if it failed, `TimeoutError` if you waited enough."""
        run = self._run
        errand: Errand[Any] = Errand("run.result", run.app, lambda: run.result(timeout))
        limit = FOR_EVER if timeout is None else seconds(timeout)
        return cast(_R_co, ask(errand, limit, TimeoutError))

    def _ask(self, verb: str, do: Callable[[], Coroutine[Any, Any, Any]], limit: float = LOOK_DEADLINE) -> Any:
        errand: Errand[Any] = Errand(f"run.{verb}", self._run.app, do)
        return ask(errand, limit, not_accepted(errand))
