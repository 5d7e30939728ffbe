"""What a watcher sees: typed, numbered facts about one job."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

import msgspec

from goatherd.model import event as written
from goatherd.model.event import Entry, FailedReason, Position
from goatherd.model.job_state import JobState
from goatherd.model.reading import Reading

__all__ = ["Done", "Event", "Failed", "Progress", "Queued", "Retrying", "Snapshot", "Started", "Token"]


@dataclass(frozen=True, kw_only=True)
class _Event:
    #: Position to resume from: `run.events(after=event.id)`; equals the SSE id.
    id: str
    seq: int
    #: From 1; 0 is the job as a whole.
    attempt: int
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Queued(_Event):
    """Accepted."""


@dataclass(frozen=True, kw_only=True)
class Started(_Event):
    """An attempt began; any text so far is void."""

    worker: str


@dataclass(frozen=True, kw_only=True)
class Progress(_Event):
    """`ctx.progress(...)`."""

    stage: str
    status: str
    percent: float | None
    fields: Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Token(_Event):
    """`ctx.token(...)`: a piece of the streamed text."""

    text: str
    node: str


@dataclass(frozen=True, kw_only=True)
class Retrying(_Event):
    """The attempt failed; the next one starts after `delay` seconds."""

    error: str
    delay: float


@dataclass(frozen=True, kw_only=True)
class Snapshot(_Event):
    """Stands for the events that are no longer kept: the stage and the whole text so far."""

    stage: str
    percent: float | None
    text: str


@dataclass(frozen=True, kw_only=True)
class Done(_Event):
    """The end: it succeeded."""

    result: object


@dataclass(frozen=True, kw_only=True)
class Failed(_Event):
    """The end: it will not be tried again."""

    reason: FailedReason
    error: str
    message: str


Event: TypeAlias = Queued | Started | Progress | Token | Retrying | Snapshot | Done | Failed

_KINDS: Mapping[type[written.Event], type[Event]] = {
    written.Queued: Queued,
    written.Started: Started,
    written.Progress: Progress,
    written.Token: Token,
    written.Retrying: Retrying,
    written.Snapshot: Snapshot,
    written.Done: Done,
    written.Failed: Failed,
}
#: What stands in the log but is for others: the traceback is in the error that `run.result()` raises, the trace is for
#: those who record it, and what the job is for the history.
_NOT_SHOWN = ("at", "traceback", "trace", "task", "queue", "key", "arguments", "what")


def seen(entry: Entry) -> Event:
    """An event of the log as watchers see it."""
    event = entry.event()
    members: dict[str, Any] = {name: getattr(event, name) for name in event.__struct_fields__ if name not in _NOT_SHOWN}
    if isinstance(event, written.Done):
        members["result"] = msgspec.json.decode(event.result)
    return _KINDS[type(event)](**_place(entry.position, event.at), **members)


def standing_for(reading: Reading, now: float) -> Iterator[Event]:
    """What stands for events that are no longer kept: the state and the text, and the end if there was one."""
    state = reading.state
    place = _place(state.position, now)
    yield Snapshot(**place, attempt=state.attempt, stage=state.stage, percent=state.progress, text=reading.text or "")
    if state.closed:
        yield _end(state, place)


def _end(state: JobState, place: dict[str, Any]) -> Event:
    if state.result is not None:
        return Done(**place, attempt=state.attempt, result=msgspec.json.decode(state.result))
    told: dict[str, Any] = {"error": state.error, "message": state.message, "attempt": state.attempt}
    reason = state.status if state.status in ("cancelled", "expired") else "failed"
    return Failed(**place, **told, reason=cast(FailedReason, reason))


def _place(position: Position, at: float) -> dict[str, Any]:
    return {"id": str(position), "seq": position.seq, "at": datetime.fromtimestamp(at, UTC)}
