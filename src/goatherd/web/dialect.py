"""Formats of others, whose clients only append: what comes next depends on what they were told before."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from goatherd.model.event import Entry, Position
from goatherd.model.reading import Reading
from goatherd.web.asgi import Headers

#: Stands between a position and the mark in an id, so that ids of the native format are told from these.
BETWEEN = "~"
#: What ends a stream in all of them.
DONE = b"[DONE]"

_ENCODER = msgspec.json.Encoder()


class Saying(NamedTuple):
    """Bytes of a stream, and the mark of a client that was told them."""

    body: bytes
    heard: str
    #: Whether no more can be said on this connection, although the job goes on.
    over: bool = False


class Dialect(Protocol):
    """Makes bytes of a job's events. One that is for one client remembers nothing: the client's mark says it all.

    A mark is one short word, and part of every id, so that whoever comes back with an id brings its mark along.
    """

    @property
    def key(self) -> Hashable:
        """Two of the same key say the same of the same job."""

    @property
    def headers(self) -> Headers:
        """Of the response, beside the usual ones."""

    @property
    def fresh(self) -> str:
        """The mark of one who was told nothing but the opening."""

    @property
    def only_active(self) -> bool:
        """Whether a client without a cursor asks for what is going on, and not for what has ended."""

    def check(self, mark: str) -> None:
        """See that it is a mark of this format; raises ValueError."""

    def opening(self, now: float) -> bytes:
        """What comes first for a client that has nothing."""

    def entries(self, heard: str, entries: Sequence[Entry]) -> Saying:
        """Of events that follow on each other."""

    def snapshot(self, heard: str, reading: Reading, now: float) -> Saying:
        """What stands for all events so far."""

    def farewell(self, reason: str) -> bytes:
        """The connection ends, and the job goes on."""


def chunk(content: bytes | dict[str, Any], id: str | None = None) -> bytes:
    """One chunk as a stream has it; an empty id makes a browser forget the last one."""
    body = content if isinstance(content, bytes) else _ENCODER.encode(content)
    return b"data: %b\n\n" % body if id is None else b"id: %b\ndata: %b\n\n" % (id.encode(), body)


def group(chunks: Sequence[bytes | dict[str, Any]], position: Position, mark: str) -> bytes:
    """Chunks that belong together: only the last has an id, so that one who lost half of them gets all of them."""
    return b"".join([*map(chunk, chunks[:-1]), chunk(chunks[-1], f"{position}{BETWEEN}{mark}")])
