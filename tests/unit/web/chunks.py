"""Streams in formats of others, written and read."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from goatherd.model.event import Entry, Event, Position, encode, kind_of
from goatherd.model.job_state import JobState, change_by
from goatherd.model.reading import Reading

EPOCH = "5f0c"


class Read(NamedTuple):
    """A chunk, and the id that came with it."""

    id: str | None
    data: Any


def logged(*events: Event, first: int = 1) -> list[Entry]:
    """Events as they are in a log."""
    return [
        Entry(position=Position(EPOCH, seq), kind=kind_of(event), body=encode(event))
        for seq, event in enumerate(events, first)
    ]


def standing(*events: Event) -> Reading:
    """What stands for these events."""
    state, text = JobState(epoch=EPOCH, seq=len(events), status="queued"), ""
    for event in events:
        change = change_by(event)
        state = msgspec.structs.replace(state, **change.fields, attempt=event.attempt)
        text = ("" if change.voids_text else text) + change.text
    return Reading(state=state, resumed=False, text=text)


def read(body: bytes) -> list[Read]:
    """The chunks of a stream; an event without one fails, as it does in libraries that expect JSON in each."""
    *blocks, rest = body.decode().split("\n\n")
    assert rest.strip(":\n") == "", rest
    return [_read_block(block) for block in blocks]


def data_of(body: bytes) -> list[Any]:
    return [chunk.data for chunk in read(body)]


def ids_of(body: bytes) -> list[str | None]:
    return [chunk.id for chunk in read(body)]


def _read_block(block: str) -> Read:
    lines = [line for line in block.split("\n") if line and not line.startswith(":")]
    fields: dict[str, str] = dict(_split(line) for line in lines)
    assert fields.keys() <= {"id", "data", "retry"}, block
    data = fields["data"]
    return Read(fields.get("id"), data if data == "[DONE]" else msgspec.json.decode(data))


def _split(line: str) -> Sequence[str]:
    name, _, value = line.partition(":")
    return name, value.removeprefix(" ")
