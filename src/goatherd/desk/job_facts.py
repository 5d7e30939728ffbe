"""Jobs, plain: as lists show them, and with all that is known of one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from goatherd.desk.letter_facts import LetterLine
from goatherd.desk.run_facts import RunFacts
from goatherd.desk.schedule_facts import time_of
from goatherd.model.envelope import moment
from goatherd.model.event import Kind, WorkKind
from goatherd.model.job_search import FoundJob
from goatherd.model.job_state import Status
from goatherd.model.lane import shown

#: What a job is: of a task, a run of a pipeline, one that a schedule began, or nothing but a dead letter.
JobKind: TypeAlias = WorkKind | Literal["letter"]
#: Where what is told of a job comes from: its events, which can be watched; the history; the records of its run; or
#: its dead letter.
JobSource: TypeAlias = Literal["events", "history", "run", "letter"]


@dataclass(frozen=True, kw_only=True)
class JobLine:
    """A job as lists show it."""

    id: str
    kind: WorkKind
    #: Its task or pipeline; empty if nobody told.
    task: str
    queue: str
    #: Its lane as people see it; empty if it has none.
    key: str
    #: JSON without secrets; empty if it is not known.
    arguments: str
    status: Status
    attempt: int
    stage: str
    percent: float | None
    error: str
    message: str
    created_at: datetime
    #: When it was last heard of.
    at: datetime
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def lasted(self) -> float | None:
        """Seconds from its acceptance to its end."""
        return None if self.ended_at is None else max(0.0, (self.ended_at - self.created_at).total_seconds())


@dataclass(frozen=True, kw_only=True)
class JobsPage:
    """Some of the jobs that were looked for, the newest first."""

    jobs: tuple[JobLine, ...]
    #: Where the next page begins; None if there is none.
    next: str | None
    #: On the first page: dead letters that fit, of jobs that nobody tracked.
    letters: tuple[LetterLine, ...] = ()


@dataclass(frozen=True, kw_only=True)
class JobFacts:
    """All that is known of one job."""

    id: str
    kind: JobKind
    source: JobSource
    task: str
    queue: str
    #: Its lane as people see it, and the full key of it; empty if it has none.
    key: str
    lane: str
    #: Without secrets; None if they are not known.
    arguments: Any
    status: Status
    attempt: int
    stage: str
    percent: float | None
    created_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    #: Whether it is done and its result is kept; then the result, without secrets, and its size in bytes. One that is
    #: very long is left out.
    has_result: bool
    result: Any
    result_size: int
    error: str
    message: str
    traceback: str
    #: Whether its events are kept, so that it can be watched.
    watchable: bool
    #: Whether it has not ended, so that it can be cancelled.
    open: bool
    run: RunFacts | None
    #: Its newest dead letter, if it has one.
    letter: LetterLine | None
    #: Who could not be asked about it now, and why; then there may be more to know.
    troubles: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TimelineEvent:
    """Something that happened to a job."""

    kind: Kind
    at: datetime
    #: From 1; 0 is the job as a whole.
    attempt: int
    #: In words.
    told: str
    #: Where it stands in the log; empty if it is told from the record.
    position: str = ""
    stage: str = ""
    percent: float | None = None
    #: Who began the attempt.
    worker: str = ""


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """What happened to a job, in order."""

    events: tuple[TimelineEvent, ...]
    #: The text that it has written, or the end of it.
    text: str
    #: Whether that is all of the text.
    whole_text: bool
    #: Whether these are its events; otherwise they are no longer kept, and this is what the record tells.
    kept: bool
    #: Of the newest event, to go on watching from; empty if they are not kept.
    position: str


def line_of(job: FoundJob) -> JobLine:
    """A job of the history as lists show it."""
    return JobLine(
        id=job.job,
        kind=job.kind,
        task=job.task,
        queue=job.queue,
        key=shown(job.key) if job.key else "",
        arguments=job.arguments.decode("utf-8", "replace"),
        status=job.status,
        attempt=job.attempt,
        stage=job.stage,
        percent=job.progress,
        error=job.error,
        message=job.message,
        created_at=moment(job.created),
        at=moment(job.at),
        started_at=time_of(job.started_at),
        ended_at=time_of(job.ended_at),
    )


def decoded(encoded: bytes | None) -> Any:
    """JSON as plain values; what is none is shown as text."""
    if not encoded:
        return None
    try:
        return msgspec.json.decode(encoded)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return encoded.decode("utf-8", "replace")
