"""Bytes of a stream, made once for all who get the same."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from goatherd.engine.ring import Batch
from goatherd.model.event import Entry, Position
from goatherd.model.reading import Reading
from goatherd.ports.clock import Clock
from goatherd.web.asgi import Headers
from goatherd.web.frame import Format, as_stream, chunk_of, frame
from goatherd.web.native import Native
from goatherd.web.responses import Refusal
from goatherd.web.translation import DIALECTS, Shelf

#: What `?format=` may say.
FORMATS: Mapping[str, type[Format]] = {"native": Native}


class Encoding:
    """A format, and what was made in it last."""

    #: Of the response, beside the usual ones.
    headers: ClassVar[Headers] = []
    #: A sign of life that pages do not see.
    comment = b":\n\n"
    #: In this format there is always more to say, until the job has ended.
    over = False

    def __init__(self, format: Format, clock: Clock) -> None:
        self.format = format
        self._clock = clock
        self._chunk_key = (self, "chunk")
        self._position: Position | None = None
        self._snapshot = b""

    def of(self, told: Reading | Sequence[Entry]) -> bytes:
        """What a follower handed out, as a stream has it."""
        if isinstance(told, Reading):
            return self._of_reading(told)
        return self.of_batch(told) if isinstance(told, Batch) else as_stream(self.format.entries(told))

    def of_batch(self, batch: Batch) -> bytes:
        """Events as a stream has them."""
        made = batch.made.get(self)
        if made is None:
            made = batch.made[self] = as_stream(self.format.entries(batch))
        return made

    def chunked(self, batch: Batch, body: bytes) -> bytes:
        """The same in the form that a part of a body has on the wire, made once, too."""
        made = batch.made.get(self._chunk_key)
        if made is None:
            made = batch.made[self._chunk_key] = chunk_of(body)
        return made

    def head(self, retry: int, mode: str, place: object) -> bytes:
        """What comes first."""
        return f"retry: {retry}\n: goatherd mode={mode} pos={place}\n\n".encode()

    def farewell(self, reason: str, heard_events: bool) -> bytes:
        """The connection ends, the job goes on."""
        if reason == "max_wait" and not heard_events:
            return frame("error", type="error", error="timeout", message="Max wait exceeded").sse
        return frame("reconnect", reason=reason).sse

    def _of_reading(self, reading: Reading) -> bytes:
        # Those who come while nothing happens share it: a long text is in memory once, however slowly they read.
        if reading.top != self._position:
            self._snapshot = as_stream(self.format.snapshot(reading, self._clock.now()))
            self._position = reading.top
        return self._snapshot


class Encodings:
    """An encoding for each format of ours, and what translations into those of others share."""

    def __init__(self, clock: Clock, formats: Mapping[str, type[Format]] = FORMATS) -> None:
        self._by_name = {name: Encoding(format(), clock) for name, format in formats.items()}
        self.shelf = Shelf()

    def named(self, name: str) -> Encoding:
        """The encoding that a client wants; raises Refusal."""
        if name not in self._by_name:
            raise Refusal(400, f"There is no format {name!r}; there is {', '.join([*self._by_name, *DIALECTS])}.")
        return self._by_name[name]
