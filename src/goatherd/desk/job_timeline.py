"""What happened to a job, in order: from its events while they are kept, else from what is on record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from goatherd.desk.job_facts import Timeline, TimelineEvent
from goatherd.model.envelope import moment
from goatherd.model.event import (
    BEGINNING,
    Done,
    Entry,
    Event,
    Failed,
    Kind,
    Position,
    Progress,
    Queued,
    Retrying,
    Snapshot,
    Started,
    Token,
    kind_of,
)

if TYPE_CHECKING:
    from goatherd.model.job_record import JobRecord
    from goatherd.ports.events import Events

#: Characters of the text that are shown: the last.
LONGEST_TEXT = 100_000
#: Events that are told; of more, the newest.
MOST_EVENTS = 500


async def timeline_of(events: Events, job_id: str) -> Timeline | None:
    """From its events; None if they are not kept."""
    reading = await events.read(job_id, None)
    if reading is None:
        return None
    entries = [entry async for entry in _entries(events, job_id)]
    text = reading.text or ""
    return Timeline(
        events=tuple(_told(entries))[-MOST_EVENTS:],
        text=text[-LONGEST_TEXT:],
        whole_text=len(text) <= LONGEST_TEXT,
        kept=True,
        position=str(reading.top),
    )


def timeline_by(record: JobRecord) -> Timeline:
    """From what is on record."""
    state, attempt = record.state, record.state.attempt
    found: list[TimelineEvent] = []
    if record.queued_at is not None:
        found.append(TimelineEvent(kind="queued", at=moment(record.queued_at), attempt=0, told="accepted"))
    if record.started_at is not None:
        told = f"attempt {attempt} began"
        found.append(TimelineEvent(kind="started", at=moment(record.started_at), attempt=attempt, told=told))
    if record.ended_at is not None:
        why = f": {_error(state.error, state.message)}" if state.error else ""
        ended = moment(record.ended_at)
        kind: Kind = "done" if state.status == "done" else "failed"
        found.append(TimelineEvent(kind=kind, at=ended, attempt=attempt, told=f"{state.status}{why}"))
    return Timeline(events=tuple(found), text="", whole_text=True, kept=False, position="")


async def _entries(events: Events, job_id: str) -> AsyncIterator[Entry]:
    """All that are kept; none if the first of them are not kept any more."""
    after: Position = BEGINNING
    while True:
        reading = await events.read(job_id, after)
        if reading is None or not reading.resumed:
            return
        for entry in reading.entries:
            yield entry
        if reading.complete:
            return
        after = reading.entries[-1].position


def _told(entries: Iterable[Entry]) -> Iterator[TimelineEvent]:
    """Each in words; pieces of the text that follow on each other are told together."""
    pieces: list[tuple[Entry, Token]] = []
    for entry in entries:
        event = entry.event()
        if isinstance(event, Token):
            pieces.append((entry, event))
            continue
        if pieces:
            yield _text(pieces)
            pieces = []
        yield _event(entry, event)
    if pieces:
        yield _text(pieces)


def _text(pieces: list[tuple[Entry, Token]]) -> TimelineEvent:
    first = pieces[0][1]
    length = sum(len(token.text) for _, token in pieces)
    told = f"wrote {length:,} {'character' if length == 1 else 'characters'}"
    at, attempt = moment(first.at), first.attempt
    return TimelineEvent(kind="token", at=at, attempt=attempt, told=told, position=str(pieces[-1][0].position))


def _event(entry: Entry, event: Event) -> TimelineEvent:
    stage, percent = "", None
    if isinstance(event, Progress | Snapshot):
        stage, percent = event.stage, event.percent
    return TimelineEvent(
        kind=kind_of(event),
        at=moment(event.at),
        attempt=event.attempt,
        told=_words(event),
        position=str(entry.position),
        stage=stage,
        percent=percent,
        worker=event.worker if isinstance(event, Started) else "",
    )


def _words(event: Event) -> str:
    match event:
        case Started():
            return f"attempt {event.attempt} began in {event.worker}"
        case Progress():
            # That it runs is what everybody thinks who sees a stage.
            return " ".join(filter(None, (event.stage, event.status if event.status != "running" else "")))
        case Retrying():
            return f"attempt {event.attempt} failed, the next one in {event.delay:.1f} s: {event.error}"
        case Failed():
            return f"{event.reason}: {_error(event.error, event.message)}"
        case _:
            return _WORDS[type(event)]


_WORDS: Mapping[type[Event], str] = {
    Queued: "accepted",
    Done: "done",
    Snapshot: "earlier events are no longer kept",
    Token: "wrote text",
}


def _error(error: str, message: str) -> str:
    return f"{error}: {message}" if message else error
