"""One event as clients get it, whatever carries it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from goatherd.model.event import Entry, Position
from goatherd.model.reading import Reading

_ENCODER = msgspec.json.Encoder()


class Frame(NamedTuple):
    """A name, JSON on one line, and the position to go on from; only the last of a group has one."""

    event: str
    content: bytes
    position: Position | None = None

    @property
    def sse(self) -> bytes:
        """As a stream has it."""
        place = b"" if self.position is None else f"id: {self.position}\n".encode()
        return b"%bevent: %b\ndata: %b\n\n" % (place, self.event.encode(), self.content)

    @property
    def json(self) -> dict[str, Any]:
        """As an answer to a poll has it."""
        place = None if self.position is None else str(self.position)
        return {"id": place, "event": self.event, "data": msgspec.Raw(self.content)}


class Format(Protocol):
    """Makes frames of a job's events; one object for all clients, so it remembers nothing."""

    def entries(self, entries: Sequence[Entry]) -> list[Frame]:
        """Frames for events that follow on each other."""

    def snapshot(self, reading: Reading, now: float) -> list[Frame]:
        """Frames that stand for all events so far."""

    def tokens(self, reading: Reading, now: float) -> list[Frame]:
        """Frames for the tokens of a reading and for how the job stands."""


def frame(event: str, position: Position | None = None, /, **members: Any) -> Frame:
    """A frame with these members."""
    content = _ENCODER.encode(members)
    if b"\n" in content or b"\r" in content:
        # Between the parts of a result that somebody else wrote; within texts JSON has no such bytes.
        content = content.replace(b"\n", b" ").replace(b"\r", b" ")
    return Frame(event, content, position)


def as_stream(frames: Iterable[Frame]) -> bytes:
    """Frames as a stream has them."""
    return b"".join([frame.sse for frame in frames])


def chunk_of(body: bytes) -> bytes:
    """A part of a body of unknown length, as HTTP/1.1 sends it."""
    return b"%x\r\n%b\r\n" % (len(body), body)
