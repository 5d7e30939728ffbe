"""A job's record as a row, in the same order on every database, without the columns by which it is found."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from goatherd.model.event import WorkKind
from goatherd.model.job_record import About, JobRecord
from goatherd.model.job_search import FoundJob
from goatherd.model.job_state import JobState

_STATE = JobState.__struct_fields__
_REST = ("at", "created", "queued_at", "started_at", "ended_at")
#: In the order of the rows.
COLUMNS = (*_STATE, *_REST, "key", "arguments")
#: What lists show, in order; the task, the queue and the kind come after them.
LISTED = (
    "job", "key", "arguments", "status", "attempt", "stage", "progress", "error", "message",
    "created", "at", "queued_at", "started_at", "ended_at",
)  # fmt: skip


class Facet(NamedTuple):
    """What many jobs have in common, which is kept once for all of them."""

    task: str
    queue: str
    kind: WorkKind


def facet_of(record: JobRecord) -> Facet:
    """What a job has in common with others."""
    return Facet(record.about.task, record.about.queue, record.about.kind)


def row_of(record: JobRecord) -> tuple[Any, ...]:
    """A record as it is kept."""
    state = msgspec.structs.astuple(record.state)
    times = (getattr(record, name) for name in _REST)
    return (*state, *times, record.about.key, record.about.arguments)


def record_in(job: str, row: Sequence[Any], facet: Sequence[Any]) -> JobRecord:
    """A record that was kept."""
    fields: dict[str, Any] = dict(zip(_STATE, row, strict=False))
    fields["closed"] = bool(fields["closed"])
    *times, key, arguments = row[len(_STATE) :]
    task, queue, kind = facet
    about = About(task=task, queue=queue, key=key, arguments=arguments, kind=kind)
    return JobRecord(job=job, state=JobState(**fields), about=about, **dict(zip(_REST, times, strict=True)))


def found_in(row: Sequence[Any]) -> FoundJob:
    """A job of a list."""
    return FoundJob(**dict(zip((*LISTED, "task", "queue", "kind"), row, strict=True)))


def has_other_words(former: JobRecord, record: JobRecord) -> bool:
    """Whether what a job is found by must be written anew."""
    return _worded(former) != _worded(record)


def _worded(record: JobRecord) -> tuple[Any, ...]:
    state = record.state
    ends_badly = state.status if state.closed and state.status != "done" else ""
    return record.about, state.error, state.message, ends_badly
