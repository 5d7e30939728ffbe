"""What a task may know about its own job."""

from __future__ import annotations

import asyncio
import logging
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self, TypeVar

from goatherd.engine.emitter import Voice
from goatherd.engine.telling import FromThread, Teller
from goatherd.engine.ticket import Ticket
from goatherd.errors import DefinitionError
from goatherd.model.formats import Work
from goatherd.model.lane import Fence
from goatherd.ports.clock import Clock

if TYPE_CHECKING:
    from goatherd.app import Goatherd

AnyContext = TypeVar("AnyContext", bound="_JobView")

_log = logging.getLogger("goatherd.task")


class _JobView:
    """What both kinds of context tell."""

    __slots__ = ("_app", "_clock", "_emitter", "_queue", "_task", "_ticket", "_until", "_work")

    def __init__(self, app: Any, task: str, queue: str, work: Work, clock: Clock, until: float | None) -> None:
        self._app = app
        self._task = task
        self._queue = queue
        self._work = work
        self._clock = clock
        self._until = until
        self._emitter: Any = None
        self._ticket: Ticket | None = None

    def telling(self, emitter: Voice | Teller | None) -> Self:
        """The same context, whose job is written down there."""
        self._emitter = emitter
        return self

    def holding(self, ticket: Ticket | None) -> Self:
        """The same context, whose job has a place in a lane."""
        self._ticket = ticket
        return self

    def seen_as(self, kind: type[AnyContext]) -> AnyContext:
        """The same job through the other kind of context, for a task that is called inside of another."""
        if isinstance(self, kind):
            return self
        other = kind(self._app, self._task, self._queue, self._work, self._clock, self._until)
        other._ticket = self._ticket
        # The other way round its code runs on a loop of its own, from which ours cannot be told.
        return other.telling(_from_here(self._emitter)) if isinstance(other, BlockingContext) else other

    @property
    def app(self) -> Goatherd:
        """The app that the task belongs to."""
        app: Goatherd = self._app
        return app

    @property
    def job_id(self) -> str:
        """The job's id, the same in every attempt."""
        return self._work.job_id

    @property
    def run_id(self) -> str:
        """The pipeline run this step belongs to; otherwise the job's own id."""
        return self._work.run_id or self._work.job_id

    @property
    def queue(self) -> str:
        """The queue it came from."""
        return self._queue

    @property
    def attempt(self) -> int:
        """From 1."""
        return self._work.attempt

    @property
    def remaining(self) -> float | None:
        """Seconds until the deadline or time-out, whichever is nearer; None without either."""
        return None if self._until is None else max(0.0, self._until - self._clock.now())

    @property
    def fence(self) -> Fence:
        """Key, token and seq of a keyed job; DefinitionError in a task without a key."""
        return self._own_ticket.fence

    @property
    def _own_ticket(self) -> Ticket:
        if self._ticket is None:
            raise DefinitionError(
                f"Task {self._task!r} has no key=, or it was called without a queue, so it has no lane to be fenced by."
            )
        return self._ticket

    @property
    def log(self) -> logging.LoggerAdapter[logging.Logger]:
        """A logger that carries job, task, queue and attempt."""
        told = {"job_id": self.job_id, "task": self._task, "queue": self._queue, "attempt": self.attempt}
        return _JobLog(_log, told)


def _from_here(emitter: Voice | None) -> Voice | Teller | None:
    """How a plain function tells that async code calls: directly, or from the thread into which it was put."""
    if emitter is None or asyncio._get_running_loop() is emitter.loop:
        return emitter
    return FromThread(emitter)


class Context(_JobView):
    """The first parameter of a task that wants to know about its job; callers never pass it."""

    __slots__ = ()

    async def progress(
        self, stage: str, percent: float | None = None, *, status: str = "running", **fields: object
    ) -> None:
        """Tell the watchers how far it is; does nothing in a job that is not tracked."""
        if self._emitter is not None:
            self._emitter.progress(stage, percent, status, fields)
            await self._emitter.room()

    async def token(self, text: str, *, node: str = "answer") -> None:
        """Stream a piece of text to the watchers; does nothing in a job that is not tracked."""
        if self._emitter is not None:
            self._emitter.token(text, node)
            await self._emitter.room()

    async def commit_with(self, connection: Any) -> None:
        """Finish this keyed job inside your own transaction: effect and order commit together.

        Raises Fenced if another worker has the lane now, or if the effect was made before: let it end the transaction.
        """
        await self._own_ticket.commit(connection)


class BlockingContext(_JobView):
    """The first parameter of a plain `def` task; as `goatherd.Context`, with verbs that wait."""

    __slots__ = ("_cancelled",)

    def __init__(self, app: Any, task: str, queue: str, work: Work, clock: Clock, until: float | None) -> None:
        super().__init__(app, task, queue, work, clock, until)
        self._cancelled = False

    def progress(self, stage: str, percent: float | None = None, *, status: str = "running", **fields: object) -> None:
        """Tell the watchers how far it is; does nothing in a job that is not tracked."""
        if self._emitter is not None:
            self._emitter.progress(stage, percent, status, fields)

    def token(self, text: str, *, node: str = "answer") -> None:
        """Stream a piece of text to the watchers; does nothing in a job that is not tracked."""
        if self._emitter is not None:
            self._emitter.token(text, node)

    def commit_with(self, connection: Any) -> None:
        """Finish this keyed job inside your own transaction: effect and order commit together.

        Raises Fenced if another worker has the lane now, or if the effect was made before: let it end the transaction.
        """
        self._own_ticket.commit_now(connection)

    @property
    def cancelled(self) -> bool:
        """True once the job is cancelled, timed out or fenced off; a thread must look for itself."""
        return self._cancelled

    def cancel(self) -> None:
        """Tell the thread to stop."""
        self._cancelled = True


class _JobLog(logging.LoggerAdapter[logging.Logger]):
    """Says which job a line is about, and keeps the same facts as fields for structured logs."""

    def process(self, msg: Any, kwargs: Any) -> tuple[Any, Any]:
        told = self.extra or {}
        kwargs["extra"] = {**told, **(kwargs.get("extra") or {})}
        # The text becomes part of a %-format, and an id that a user chose may hold a percent sign.
        which = f"{told['task']}[{told['job_id']}#{told['attempt']}]".replace("%", "%%")
        return f"{which} {msg}", kwargs


#: The context of the job whose code runs now; None outside of tasks.
current: ContextVar[_JobView | None] = ContextVar("goatherd_context", default=None)
