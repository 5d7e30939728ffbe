"""Events and states as Redis keeps and tells them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from goatherd.model.event import Entry, Event, Kind, Position, encode, kind_of
from goatherd.model.job_state import JobState, Status, change_by


def event_arguments(event: Event) -> Iterator[Any]:
    """An event, and what it changes, as `append.lua` takes it."""
    change = change_by(event)
    yield kind_of(event)
    yield encode(event)
    yield "1" if change.voids_text else ""
    yield change.text
    yield len(change.fields)
    for name, value in change.fields.items():
        yield name
        yield _as_text(value)


def _as_text(value: Any) -> str | bytes:
    match value:
        case None | False:
            return ""
        case True:
            return "1"
        case str() | bytes():
            return value
        case _:
            return repr(value)


def hash_of(flat: Sequence[bytes]) -> dict[str, bytes]:
    """The fields of a hash."""
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}


def state_in(fields: Mapping[str, bytes]) -> JobState:
    """The state that a hash stands for."""

    def text(name: str) -> str:
        return fields.get(name, b"").decode()

    return JobState(
        epoch=text("epoch"),
        seq=int(fields["seq"]),
        status=cast(Status, text("status")),
        attempt=int(fields["attempt"]),
        stage=text("stage"),
        progress=float(fields["progress"]) if fields.get("progress") else None,
        result=fields.get("result") or None,
        error=text("error"),
        message=text("message"),
        traceback=text("traceback"),
        closed=fields.get("closed") == b"1",
    )


def entries_of(epoch: str, found: Sequence[tuple[bytes, Sequence[bytes]]]) -> list[Entry]:
    """The events of a log; their ids are `0-seq`."""
    return [
        Entry(position=Position(epoch, int(place[2:])), kind=cast(Kind, kind.decode()), body=body)
        for place, (_, kind, _, body) in found
    ]


def entries_in(message: bytes) -> list[Entry]:
    """The events that watchers are called with, one to a line; none if the message is not ours."""
    try:
        return [_entry(line) for line in message.split(b"\n")]
    except ValueError:
        return []


def _entry(line: bytes) -> Entry:
    place, kind, body = line.split(b" ", 2)
    return Entry(position=Position.parse(place.decode()), kind=cast(Kind, kind.decode()), body=body)
