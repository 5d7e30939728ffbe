"""How a tracked job stands: what its events so far amount to."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from goatherd.model.event import Done, Event, Failed, Position, Progress, Queued, Retrying, Snapshot, Started, Token

Status: TypeAlias = Literal["queued", "running", "retrying", "done", "failed", "cancelled", "expired"]


class JobState(msgspec.Struct, frozen=True, kw_only=True):
    """A tracked job after the event at its position."""

    epoch: str
    seq: int
    status: Status
    attempt: int = 0
    stage: str = ""
    #: Percent; None when nobody told.
    progress: float | None = None
    #: JSON; only of a job that is done.
    result: bytes | None = None
    #: Of the failed attempt, while the next one is awaited, or of the job.
    error: str = ""
    message: str = ""
    traceback: str = ""
    #: Whether its last event has been written; nothing comes after it.
    closed: bool = False

    @property
    def position(self) -> Position:
        """Of the last event."""
        return Position(self.epoch, self.seq)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one event does to the state and to the text."""

    #: The fields of JobState that get another value.
    fields: Mapping[str, Any] = {}
    #: Whether the text so far is void.
    voids_text: bool = False
    #: What the text then grows by.
    text: str = ""


_NO_ERROR = {"error": "", "message": "", "traceback": ""}
_ENDS: Mapping[str, Status] = {"failed": "failed", "cancelled": "cancelled", "expired": "expired", "lost": "failed"}


def change_by(event: Event) -> Change:
    """What an event changes, wherever the state is kept; the attempt is the business of `admission`."""
    match event:
        case Token():
            return Change(text=event.text)
        case Progress():
            return Change(fields={"status": "running", "stage": event.stage, "progress": event.percent})
        case Done() | Failed():
            return Change(fields={**_end(event), "closed": True})
        case _:
            return _turn(event)


def _turn(event: Queued | Started | Retrying | Snapshot) -> Change:
    match event:
        case Queued():
            return Change(fields={"status": "queued"})
        case Started():
            return Change(fields={"status": "running", "stage": "", "progress": None, **_NO_ERROR}, voids_text=True)
        case Retrying():
            return Change(fields={**_NO_ERROR, "status": "retrying", "error": event.error})
        case Snapshot():
            fields = {"status": "running", "stage": event.stage, "progress": event.percent, **_NO_ERROR}
            return Change(fields=fields, voids_text=True, text=event.text)


def _end(event: Done | Failed) -> dict[str, Any]:
    if isinstance(event, Done):
        return {**_NO_ERROR, "status": "done", "result": bytes(event.result)}
    told = {"error": event.error, "message": event.message, "traceback": event.traceback}
    return {**told, "status": _ENDS[event.reason]}
