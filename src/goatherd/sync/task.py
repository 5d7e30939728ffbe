"""A task with verbs that wait."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Generic, ParamSpec, Self, TypeVar, cast

from goatherd.engine.context import current
from goatherd.model.job import AnyJob
from goatherd.model.seconds import Seconds
from goatherd.model.statement import UserConnection
from goatherd.model.unique import UniqueOption
from goatherd.sync.asking import ask
from goatherd.sync.errand import Errand
from goatherd.sync.run import BlockingRun
from goatherd.sync.unanswered import no_reply, not_accepted
from goatherd.sync.within import patience_for, write_within
from goatherd.task import Task

_P = ParamSpec("_P")
_R = TypeVar("_R")


class BlockingTask(Generic[_P, _R]):
    """What `blocking(task)` gives."""

    __slots__ = ("_task",)

    def __init__(self, task: Task[_P, _R]) -> None:
        self._task = task

    def __repr__(self) -> str:
        return f"blocking({self._task!r})"

    def options(  # noqa: PLR0913 - a job has as many options as users may want
        self,
        *,
        delay: Seconds | None = None,
        at: datetime | None = None,
        deadline: Seconds | None = None,
        id: str | None = None,
        unique: UniqueOption | None = None,
        priority: int | None = None,
        within: UserConnection | None = None,
        keep_place: bool = False,
    ) -> Self:
        """The same task with options for the next verb, beside those it already has."""
        told = self._task.options(
            delay=delay, at=at, deadline=deadline, id=id, unique=unique, priority=priority, within=within,
            keep_place=keep_place,
        )  # fmt: skip
        return type(self)(told)

    def send(self, *args: _P.args, **kwargs: _P.kwargs) -> str:
        """Fire and forget; durable when it returns the job's id."""
        task = self._task
        # Here and not on the I/O thread: a mistake is the caller's, and so is the time to write the arguments.
        job, app = task.job(*args, **kwargs), task.app
        if job.options.within is not None:
            [id] = write_within(app, f"{task.name}.send", [job], tracked=job.definition.tracked)
            return id
        errand = Errand(f"{task.name}.send", app, lambda: app.session().send(job))
        return ask(errand, patience_for([job], app.settings.publish_deadline), not_accepted(errand, [job.id]))

    def call(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Ask and wait for the answer until the deadline."""
        task = self._task
        job, app = task.job(*args, **kwargs), task.app
        errand: Errand[Any] = Errand(f"{task.name}.call", app, lambda: app.session().call(job))
        return cast(_R, ask(errand, _patience(job, app.settings.call_deadline), no_reply(errand, job.id)))

    def start(self, *args: _P.args, **kwargs: _P.kwargs) -> BlockingRun[_R]:
        """Send it tracked: its state and its result can be asked for by its id."""
        task = self._task
        job, app = task.job(*args, **kwargs), task.app
        if job.options.within is not None:
            [id] = write_within(app, f"{task.name}.start", [job], tracked=True)
        else:
            errand: Errand[str] = Errand(f"{task.name}.start", app, lambda: app.session().start(job))
            id = ask(errand, patience_for([job], 2 * app.settings.publish_deadline), not_accepted(errand, [job.id]))
        return BlockingRun(app.run(id, of=task))


def _patience(job: AnyJob, default: float) -> float:
    """Seconds for which the I/O thread waits for the answer, before it says that none came."""
    told = job.options.deadline if job.options.deadline is not None else job.definition.deadline
    calling = current.get()
    left = None if calling is None else calling.remaining
    seconds = default if told is None else told
    return seconds if left is None else min(seconds, left)
