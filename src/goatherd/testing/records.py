"""What became of every job of a test."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import msgspec

from goatherd.model.dead_letter import DeadLetter
from goatherd.model.envelope import FromTheFuture, Unparsable, moment
from goatherd.model.message import Delivery, Message
from goatherd.model.signature import Misfit
from goatherd.model.task import TaskDefinition
from goatherd.model.verdict import Again, Answered, Dead, Done, Dropped, Verdict

R_co = TypeVar("R_co", covariant=True)
State: TypeAlias = Literal["queued", "running", "retrying", "done", "failed", "cancelled", "expired"]


@dataclass(frozen=True, kw_only=True)
class JobRecord(Generic[R_co]):
    """What became of one job."""

    id: str
    #: By name, as the task gets them.
    arguments: dict[str, object]
    state: State
    #: How often its code was started, also by workers that died.
    attempts: int
    #: What it returned, once it is done.
    result: R_co | None
    #: Why the last attempt failed; None when it did not.
    error: str | None
    #: When it may start, or could.
    due_at: datetime


class Records:
    """Every job that the app has sent, in that order."""

    def __init__(self) -> None:
        self._by_id: dict[str, tuple[str, JobRecord[Any]]] = {}
        #: What the code of jobs returned, until it is known whether anybody heard of it.
        self._returned: dict[str, object] = {}
        #: Queues of tasks that have many, to which something was sent; in that order.
        self.listened: dict[str, None] = {}

    def of(self, task: str) -> list[JobRecord[Any]]:
        """The jobs of one task."""
        return [record for name, record in self._by_id.values() if name == task]

    def task_of(self, job: str) -> str | None:
        """The task of a job; None for one that the app has not sent."""
        return self._by_id[job][0] if job in self._by_id else None

    def running(self) -> list[str]:
        """What runs now, for people."""
        return [
            f"{task}[{record.id}] is running (attempt {record.attempts})"
            for task, record in self._by_id.values()
            if record.state == "running"
        ]

    def sent(self, message: Message, task: TaskDefinition, now: float) -> None:
        """A job is on its way."""
        if task.has_many_queues:
            self.listened[message.queue] = None
        record: JobRecord[Any] = JobRecord(
            id=message.id,
            arguments=_arguments(message, task, now),
            state="queued",
            attempts=0,
            result=None,
            error=None,
            due_at=moment(now if message.due is None else max(now, message.due)),
        )
        self._by_id[message.id] = (task.name, record)

    def fired(self, unit: str, run: str, task: str, now: float) -> None:
        """A schedule has fired, whose run is one unit."""
        record: JobRecord[Any] = JobRecord(
            id=run, arguments={}, state="queued", attempts=0, result=None, error=None, due_at=moment(now)
        )
        self._by_id.setdefault(unit, (task, record))

    def not_sent(self, jobs: Iterable[str]) -> None:
        """The broker did not accept them."""
        for job in jobs:
            self._by_id.pop(job, None)

    def started(self, job: str) -> None:
        """Its code is about to start."""
        self._change(job, state="running", attempts=self._attempts(job) + 1)

    def returned(self, job: str, result: object) -> None:
        """Its code came to its end."""
        self._returned[job] = result

    def called_off(self, job: str) -> None:
        """Its caller gave up; nobody starts it any more."""
        if job in self._by_id and self._by_id[job][1].state == "queued":
            self._change(job, state="cancelled")

    def ended(self, job: str, verdict: Verdict, now: float) -> None:
        """What was decided after an attempt, or instead of one."""
        match verdict:
            case Done(result=result):
                self._change(job, state="done", result=result, error=None)
            case Answered(outcome=outcome, why=why):
                result = self._returned.get(job) if outcome == "done" else None
                self._change(job, state=outcome, result=result, error=why or None)
            case Dropped(outcome=outcome, why=why):
                self._change(job, state=outcome, error=why if outcome == "cancelled" else None)
            case Again(delay=delay, why=why):
                self._change(job, state="retrying", error=why, due_at=moment(now + delay))
            case Dead(burial=burial):
                self._buried(job, burial.reason, f"{burial.error_type}: {burial.message}")
            case _:
                self._interrupted(job, None)

    def lost(self) -> None:
        """The worker died: what it was running will be delivered again."""
        for task, record in list(self._by_id.values()):
            if record.state == "running":
                self._interrupted(record.id, f"the worker died while it ran {task}")

    def found_dead(self, letters: Sequence[DeadLetter]) -> None:
        """Dead letters in the store; some were made by the broker itself."""
        for letter in letters:
            _, known = self._by_id.get(letter.job_id, (None, None))
            if known is not None and known.state in ("queued", "retrying"):
                self._buried(letter.job_id, letter.reason, f"{letter.error_type}: {letter.message}")

    def _buried(self, job: str, reason: str, error: str) -> None:
        self._change(job, state="expired" if reason == "expired" else "failed", error=error)

    def _interrupted(self, job: str, error: str | None) -> None:
        self._change(job, state="retrying" if self._attempts(job) else "queued", error=error)

    def _attempts(self, job: str) -> int:
        return self._by_id[job][1].attempts if job in self._by_id else 0

    def _change(self, job: str, **changes: Any) -> None:
        # Announcements of dead letters are jobs too, but not the app's own.
        if job in self._by_id:
            task, record = self._by_id[job]
            self._by_id[job] = (task, replace(record, **changes))


def _arguments(message: Message, task: TaskDefinition, now: float) -> dict[str, object]:
    # A task with many queues is told by its queue what comes first.
    there = task.for_queue(message.queue) or task
    try:
        payload = there.format.decode(Delivery(message=message, accepted=now)).payload
        positional, named = there.signature.decode(payload)
    except (Unparsable, FromTheFuture, Misfit, msgspec.DecodeError):
        return {}
    return {**dict(zip(task.signature.names, positional, strict=False)), **named}
