"""What happens to a tracked job, as it is written down: numbered facts, each JSON of its own."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from goatherd.model.trace_context import NO_CARRIER, Carrier

Kind: TypeAlias = Literal["queued", "started", "progress", "token", "retrying", "snapshot", "done", "failed"]
FailedReason: TypeAlias = Literal["failed", "cancelled", "expired", "lost"]
#: What is tracked: a job of a task, a run of a pipeline, or one that a schedule began.
WorkKind: TypeAlias = Literal["job", "run", "tick"]

_POSITION = re.compile(r"([0-9a-f]+)-([0-9]{1,15})", re.ASCII)


class Position(msgspec.Struct, frozen=True):
    """A place in a job's log; `str` of it is the id that users and browsers resume from.

    Within an epoch numbers are contiguous from one event to the next. A log that had to begin anew has another epoch,
    so that no position ever stands for two events.
    """

    epoch: str
    seq: int

    def __str__(self) -> str:
        return f"{self.epoch}-{self.seq}"

    @classmethod
    def parse(cls, text: str) -> "Position":
        """The position that a client gave back; raises ValueError."""
        found = _POSITION.fullmatch(text)
        if found is None:
            raise ValueError(f"{text!r} is no position of an event; give the id of one as it was received")
        return cls(found[1], int(found[2]))


#: Before the first event, whatever the epoch.
BEGINNING = Position("", 0)


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What all have; `at` is seconds since the epoch, and attempt 0 is the job as a whole."""

    attempt: int
    at: float


class _Introduction(_Event, frozen=True, kw_only=True, omit_defaults=True):
    """What an event that may be the first of a job tells of the job itself; all empty if that was told before."""

    #: Its task, or its pipeline.
    task: str = ""
    queue: str = ""
    #: The full key of its lane.
    key: str = ""
    #: JSON without secrets, or nothing; for the history, not for those who watch.
    arguments: msgspec.Raw = msgspec.Raw()
    what: WorkKind = "job"


class Queued(_Introduction, frozen=True, kw_only=True, tag="queued"):
    """Accepted. With the trace that it belongs to, so that those who watch can be seen in it."""

    trace: Carrier = NO_CARRIER


class Started(_Introduction, frozen=True, kw_only=True, tag="started"):
    """An attempt began; any text so far is void."""

    worker: str


class Progress(_Event, frozen=True, kw_only=True, tag="progress"):
    """A stage of the work."""

    stage: str
    status: str = ""
    percent: float | None = None
    fields: Mapping[str, Any] = {}


class Token(_Event, frozen=True, kw_only=True, tag="token"):
    """A piece of the streamed text."""

    text: str
    node: str = ""


class Retrying(_Event, frozen=True, kw_only=True, tag="retrying"):
    """The attempt failed; the next one starts after `delay` seconds."""

    error: str
    delay: float


class Snapshot(_Event, frozen=True, kw_only=True, tag="snapshot"):
    """Stands for events that could not be kept: the stage and the whole text so far. The log begins anew with it."""

    stage: str
    percent: float | None = None
    text: str


class Done(_Event, frozen=True, kw_only=True, tag="done"):
    """The end: it succeeded. The result is JSON."""

    result: msgspec.Raw


class Failed(_Event, frozen=True, kw_only=True, tag="failed"):
    """The end: it will not be tried again."""

    reason: FailedReason
    error: str
    message: str
    traceback: str = ""


#: The kinds that nothing follows.
ENDS: tuple[Kind, ...] = ("done", "failed")

Event: TypeAlias = Queued | Started | Progress | Token | Retrying | Snapshot | Done | Failed

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Event] = msgspec.json.Decoder(Event)


def kind_of(event: Event) -> Kind:
    """Its kind in one word."""
    kind: Kind = event.__struct_config__.tag  # type: ignore[assignment] # every one of them has a tag
    return kind


def encode(event: Event) -> bytes:
    """Its JSON, on one line."""
    body = _ENCODER.encode(event)
    # Only a result that somebody else encoded can have more.
    return body if b"\n" not in body else msgspec.json.format(body, indent=-1)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One event in the log, with the JSON as it was written."""

    position: Position
    kind: Kind
    body: bytes

    def event(self) -> Event:
        """The event itself."""
        return _DECODER.decode(self.body)
