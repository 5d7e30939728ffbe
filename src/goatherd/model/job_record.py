"""What is remembered of a tracked job when its events are long gone, and how it grows from them."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from goatherd.model.event import Done, Event, Failed, Position, Queued, Started, Token, WorkKind
from goatherd.model.job_state import JobState, change_by


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a job is, apart from how it stands."""

    #: Its task, or its pipeline.
    task: str = ""
    queue: str = ""
    #: The full key of its lane.
    key: str = ""
    #: JSON without secrets, or nothing.
    arguments: bytes = b""
    kind: WorkKind = "job"


NOTHING_KNOWN = About()


class JobRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A tracked job in the history."""

    job: str
    #: How it stood, with the position of its last event.
    state: JobState
    #: When that event happened; all times are seconds since the epoch.
    at: float
    #: When it was first heard of, by which jobs are in order.
    created: float
    #: When it was accepted, when its newest attempt began and when it ended; None if that was not heard of.
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    #: What it is; all empty for one of a program that did not tell.
    about: About = NOTHING_KNOWN

    @property
    def lasted(self) -> float | None:
        """Seconds from its acceptance to its end."""
        return None if self.queued_at is None or self.ended_at is None else self.ended_at - self.queued_at


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """An event and where it stands."""

    job: str
    position: Position
    event: Event


class JobNote(msgspec.Struct, frozen=True, kw_only=True):
    """What successive events of one job, in one epoch, amount to."""

    job: str
    #: Of the last of them.
    position: Position
    at: float
    #: The newest attempt among them.
    attempt: int
    #: The fields of `JobState` that get another value.
    fields: Mapping[str, Any]
    queued_at: float | None = None
    started_at: float | None = None
    ended_at: float | None = None
    about: About | None = None


def notes_of(told: Iterable[Told]) -> list[JobNote]:
    """Events of many jobs, each job's in order, as one note for each job and epoch; tokens say nothing here."""
    notes: dict[tuple[str, str], JobNote] = {}
    for one in told:
        if not isinstance(one.event, Token):
            key = one.job, one.position.epoch
            notes[key] = _followed(notes.get(key), one)
    return list(notes.values())


def _followed(former: JobNote | None, told: Told) -> JobNote:
    event = told.event
    if former is None:
        former = JobNote(job=told.job, position=told.position, at=event.at, attempt=0, fields={})
    elif told.position.seq <= former.position.seq:
        # Taken twice.
        return former
    fields = {**former.fields, **change_by(event).fields}
    if fields.get("result") == b"":
        # A result that was not kept.
        fields["result"] = None
    return JobNote(
        job=told.job,
        position=told.position,
        at=event.at,
        attempt=max(former.attempt, event.attempt),
        fields=fields,
        queued_at=event.at if isinstance(event, Queued) else former.queued_at,
        started_at=event.at if isinstance(event, Started) else former.started_at,
        ended_at=event.at if isinstance(event, Done | Failed) else former.ended_at,
        about=_introduced(event) or former.about,
    )


def _introduced(event: Event) -> About | None:
    if not isinstance(event, Queued | Started) or not event.task:
        return None
    return About(task=event.task, queue=event.queue, key=event.key, arguments=bytes(event.arguments), kind=event.what)


def noted(record: JobRecord | None, note: JobNote) -> JobRecord | None:
    """The record with a note added; None if the note says nothing that is new."""
    if record is None or _is_another_life(record, note):
        # Whoever puts a job back to work may not know what it is.
        about = NOTHING_KNOWN if record is None else record.about
        created = note.at if note.queued_at is None else note.queued_at
        return _grown(JobRecord(job=note.job, state=_blank(note), at=note.at, created=created, about=about), note)
    return _grown(record, note) if _is_news(record, note) else None


def records_after(notes: Iterable[JobNote], known: Mapping[str, JobRecord | None]) -> list[JobRecord]:
    """The records that notes change, as they are then; each job once, and none of which nothing new is said."""
    changed: dict[str, JobRecord] = {}
    for note in notes:
        record = noted(changed.get(note.job) or known.get(note.job), note)
        if record is not None:
            changed[note.job] = record
    return list(changed.values())


def _is_another_life(record: JobRecord, note: JobNote) -> bool:
    """Whether the job's id was used once more, after all that is on record."""
    return note.queued_at is not None and note.position.epoch != record.state.epoch and note.queued_at > record.at


def _is_news(record: JobRecord, note: JobNote) -> bool:
    if note.position.epoch == record.state.epoch:
        return note.position.seq > record.state.seq
    if record.queued_at is not None and note.at < record.queued_at:
        # From before its id was used once more.
        return False
    if note.attempt:
        # A log that was lost begins anew with whoever writes first, and that may be an attempt that is over.
        return (note.attempt, note.at) >= (record.state.attempt, record.at)
    # The platform's word about the whole job; but after the end there is none, unless the store had forgotten it.
    same_end = note.fields.get("status") == record.state.status
    return note.at >= record.at and (same_end or not record.state.closed)


def _blank(note: JobNote) -> JobState:
    return JobState(epoch=note.position.epoch, seq=0, status="queued")


def _grown(record: JobRecord, note: JobNote) -> JobRecord:
    position = note.position
    changed = {**note.fields, "epoch": position.epoch, "seq": position.seq}
    if position.epoch != record.state.epoch:
        # What the store has forgotten did not happen.
        changed = {"closed": False, "result": None, **changed}
    changed["attempt"] = max(record.state.attempt, note.attempt)
    state = msgspec.structs.replace(record.state, **changed)
    return JobRecord(
        job=record.job,
        state=state,
        at=note.at,
        created=record.created,
        queued_at=record.queued_at if note.queued_at is None else note.queued_at,
        started_at=record.started_at if note.started_at is None else note.started_at,
        ended_at=note.ended_at if state.closed else None,
        about=note.about or record.about,
    )
