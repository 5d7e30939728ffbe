"""What an attempt has told and its log does not have yet: numbered, in order, tokens put together.

Pure: it decides what is written next and what stands for that which was lost, and waits for nobody.
"""

from collections import deque

import msgspec

from goatherd.model.admission import Append
from goatherd.model.event import Done, Event, Failed, Progress, Retrying, Snapshot, Started, Token

#: Bytes of tokens that go into one event.
LARGEST_TOKEN = 2048
#: Events that are written in one step.
BATCH = 100
#: Events, and bytes of what they tell, that may wait; beyond, whoever tells more waits until some have been written.
MOST_EVENTS, MOST_BYTES = 1000, 1024 * 1024


class Unwritten:
    """The events of one attempt from the first that is not known to be written."""

    def __init__(self, run: str) -> None:
        self._run = run
        self._events: deque[Event] = deque()
        #: The number of the first of them; those before it are written.
        self._first = 1
        #: Tokens that may still grow into one event.
        self._open: Token | None = None
        self._pieces: list[str] = []
        self._open_size = 0
        self._size = 0
        #: What has been written amounts to this.
        self._text: list[str] = []
        self._stage = ""
        self._percent: float | None = None

    def __len__(self) -> int:
        return len(self._events) + (self._open is not None)

    @property
    def full(self) -> bool:
        """Whether so much waits that whoever tells more should wait, too."""
        return len(self._events) >= MOST_EVENTS or self._size >= MOST_BYTES

    def add(self, event: Event) -> bool:
        """One more; true if it is to be written at once, false if it may grow for a moment, until `seal`."""
        size = _size_of(event)
        self._size += size
        if not isinstance(event, Token):
            self.seal()
            self._events.append(event)
            return True
        if self._open is not None and self._open.node == event.node:
            self._pieces.append(event.text)
            self._open_size += size
        else:
            self.seal()
            self._open, self._pieces, self._open_size = event, [event.text], size
        if self._open_size < LARGEST_TOKEN:
            return False
        self.seal()
        return True

    def seal(self) -> bool:
        """Let the last tokens be one event, which grows no more; false if there are none."""
        if self._open is None:
            return False
        self._events.append(msgspec.structs.replace(self._open, text="".join(self._pieces)))
        self._open = None
        return True

    def next(self) -> Append | None:
        """What is written next; None if there is nothing, or only tokens that may still grow."""
        if not self._events:
            return None
        events = [self._events[place] for place in range(min(BATCH, len(self._events)))]
        return Append(events=events, run=self._run, number=self._first)

    def written(self, through: int) -> None:
        """All up to this number are in the log."""
        while self._events and self._first <= through:
            self._note(self._events.popleft())
            self._first += 1

    def missing(self, expected: int, now: float) -> None:
        """The log wants the event of this number next: go back to it, or let one event stand for all that is lost."""
        self.written(expected - 1)
        if expected < self._first and self._events and not isinstance(self._events[0], Snapshot):
            self._begin_anew(now)

    def shrink(self, now: float) -> int:
        """Let one event stand for all that waits; returns how many were told of that nobody will see."""
        self.seal()
        lost = sum(1 for event in self._events if isinstance(event, Progress))
        last = self._events[-1]
        # What is on its way, or arrived unnoticed, has smaller numbers, so it does no harm.
        self.written(self._first + len(self._events) - 1)
        self._events.append(self._snapshot(last.attempt, now))
        if isinstance(last, Retrying | Done | Failed):
            # How the attempt ended is in no snapshot, and without it those who watch would wait for ever.
            self._events.append(last)
        return lost

    def _begin_anew(self, now: float) -> None:
        self.seal()
        attempt = self._events[0].attempt
        # Above every number that was ever used: whatever is still on its way from before is then a duplicate.
        self._first += len(self._events)
        self._events.appendleft(self._snapshot(attempt, now))

    def _snapshot(self, attempt: int, now: float) -> Snapshot:
        text = "".join(self._text)
        self._text = [text]
        return Snapshot(attempt=attempt, at=now, stage=self._stage, percent=self._percent, text=text)

    def _note(self, event: Event) -> None:
        self._size -= _size_of(event)
        match event:
            case Token():
                self._text.append(event.text)
            case Progress():
                self._stage, self._percent = event.stage, event.percent
            case Started():
                self._text, self._stage, self._percent = [], "", None
            case _:
                return


def _size_of(event: Event) -> int:
    match event:
        case Token():
            return len(event.text.encode())
        case Progress():
            return len(msgspec.json.encode(event.fields)) if event.fields else 0
        case _:
            # There are few others, and they are small.
            return 0
