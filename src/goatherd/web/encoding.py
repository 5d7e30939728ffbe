"""Bytes of a stream, made once for all who get the same."""

from collections.abc import Mapping, Sequence

from goatherd.engine.ring import Batch
from goatherd.model.event import Entry, Position
from goatherd.model.reading import Reading
from goatherd.ports.clock import Clock
from goatherd.web.frame import Format, as_stream
from goatherd.web.native import Native
from goatherd.web.responses import Refusal

#: What `?format=` may say.
FORMATS: Mapping[str, type[Format]] = {"native": Native}


class Encoding:
    """A format, and what was made in it last."""

    def __init__(self, format: Format, clock: Clock) -> None:
        self.format = format
        self._clock = clock
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

    def _of_reading(self, reading: Reading) -> bytes:
        # Those who come while nothing happens share it: a long text is in memory once, however slowly they read.
        if reading.top != self._position:
            self._snapshot = as_stream(self.format.snapshot(reading, self._clock.now()))
            self._position = reading.top
        return self._snapshot


class Encodings:
    """An encoding for each format."""

    def __init__(self, clock: Clock) -> None:
        self._by_name = {name: Encoding(format(), clock) for name, format in FORMATS.items()}

    def named(self, name: str) -> Encoding:
        """The encoding that a client wants; raises Refusal."""
        if name not in self._by_name:
            raise Refusal(400, f"There is no format {name!r}; there is {', '.join(self._by_name)}.")
        return self._by_name[name]
