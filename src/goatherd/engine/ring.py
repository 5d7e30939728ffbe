"""The newest events of one job, kept once for all who follow it."""

from collections.abc import Sequence
from typing import Any

from goatherd.model.event import ENDS, Entry, Position
from goatherd.model.reading import Reading

#: Bytes of events that are kept for one job, and that are handed out at a time: what a client that reads nothing
#: can make us hold is a multiple of the second.
MOST_BYTES, MOST_AT_ONCE = 1024 * 1024, 64 * 1024


class Batch(tuple[Entry, ...]):
    """Events that follow directly on each other. All who are equally far get the same one."""

    #: What those who got it have made of it, so that it is made once: frames by their format.
    made: dict[Any, Any]

    def __new__(cls, entries: Sequence[Entry] = ()) -> "Batch":
        """Take these, and nothing made of them yet."""
        batch = super().__new__(cls, entries)
        batch.made = {}
        return batch


NOTHING = Batch()


class Ring:
    """Contiguous events: each was written directly after the one before it, though perhaps in another epoch."""

    __slots__ = ("_batch", "_batch_after", "_batch_top", "_before", "_entries", "_most", "_size", "top")

    def __init__(self, top: Position, most: int) -> None:
        self._most = most
        self._entries: list[Entry] = []
        self._size = 0
        #: Of the event before the first of them, and of the last.
        self._before = self.top = top
        self._batch, self._batch_after, self._batch_top = NOTHING, top, top

    @classmethod
    def holding(cls, after: Position, reading: Reading, most: int) -> "Ring":
        """What is known after a position has been read from."""
        ring = cls(after if reading.resumed else reading.top, most)
        for entry in reading.entries:
            ring.add(entry)
        return ring

    def add(self, entry: Entry) -> None:
        """Keep one that follows, if need be in the place of the oldest."""
        self._entries.append(entry)
        self._size += len(entry.body)
        self.top = entry.position
        while len(self._entries) > self._most or (self._size > MOST_BYTES and len(self._entries) > 1):
            oldest = self._entries.pop(0)
            self._size -= len(oldest.body)
            self._before = oldest.position

    def add_heard(self, entry: Entry) -> bool:
        """Keep one that somebody told, if it is the next one; false if others must come between."""
        told, top = entry.position, self.top
        if told.epoch != top.epoch:
            return False
        if told.seq == top.seq + 1:
            self.add(entry)
        return told.seq <= self.top.seq

    def add_read(self, after: Position, entries: Sequence[Entry]) -> None:
        """Keep what the log says to follow on the last one here; nothing if it does not know that one."""
        follows = after == self.top
        for entry in entries:
            # A number alone proves nothing: the log may have lost its end and gone on under another epoch.
            if follows:
                self.add(entry)
            elif entry.position == self.top:
                follows = True

    @property
    def ends(self) -> bool:
        """Whether the last of them is the job's last."""
        return bool(self._entries) and self._entries[-1].kind in ENDS

    def covers(self, position: Position) -> bool:
        """Whether everything after it is here."""
        return self.after(position) is not None

    def after(self, position: Position) -> Batch | None:
        """The next events after a position, none if it is the last one; None if that cannot be told from here."""
        if position is self.top:
            return NOTHING
        if position is self._batch_after and self._batch_top is self.top:
            return self._batch
        index = position.seq - self._before.seq
        if not 0 <= index <= len(self._entries):
            return None
        known = self._entries[index - 1].position if index else self._before
        if position != known:
            return None
        self._batch = self._cut(index)
        self._batch_after, self._batch_top = known, self.top
        return self._batch

    def _cut(self, index: int) -> Batch:
        return cut(self._entries, index) if index < len(self._entries) else NOTHING


def cut(entries: Sequence[Entry], index: int = 0) -> Batch:
    """As many entries as may be handed out at once, and at least one."""
    end, size = index, 0
    while end < len(entries) and (size == 0 or size + len(entries[end].body) <= MOST_AT_ONCE):
        size += len(entries[end].body)
        end += 1
    return Batch(entries[index:end])
