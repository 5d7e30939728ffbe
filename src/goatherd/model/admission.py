"""Who may write what into a job's log: each event once, in order, and nothing from an attempt that is over.

An attempt counts its events from 1, so that one which is sent again is known, and one which is missing is noticed.
Attempts are told apart by their number and then by the id of their run: of two workers that have the same attempt,
because the broker gave it away a second time, the one that began later is right.
"""

import os
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from goatherd.model.event import BEGINNING, Done, Event, Failed, Position, Progress, Queued, Retrying, Snapshot, Started

Answer: TypeAlias = Literal["ok", "duplicate", "gap", "fenced", "closed"]


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """Events of one attempt that are written in one step, and who writes them."""

    events: Sequence[Event]
    #: The id of the attempt's run, from `new_id`, so that a later one is greater; empty for the platform.
    run: str = ""
    #: The attempt's own count of the first of these events, from 1; 0 for the platform, which does not count.
    number: int = 0

    @property
    def attempt(self) -> int:
        """The attempt that all of them are about; 0 for the job as a whole."""
        return self.events[0].attempt

    @property
    def last_number(self) -> int:
        """The attempt's count of the last of them."""
        return self.number + len(self.events) - 1 if self.run else 0

    @property
    def begins_anew(self) -> bool:
        """Whether it stands for all that came before, so that nothing can be missing."""
        return isinstance(self.events[0], Snapshot)

    def __post_init__(self) -> None:
        if not self.events:
            raise ValueError("there is nothing to append")
        if any(event.attempt != self.attempt for event in self.events):
            raise ValueError("events of several attempts cannot be appended in one step")
        if any(isinstance(event, Started | Snapshot) for event in self.events[1:]):
            raise ValueError("Started and Snapshot come first or not at all")
        if any(isinstance(event, Done | Failed) for event in self.events[:-1]):
            raise ValueError("nothing comes after the end of a job")
        _check_attempt(self) if self.run else _check_platform(self)


def _check_attempt(append: Append) -> None:
    if append.attempt < 1 or append.number < 1:
        raise ValueError("an attempt, and its count of its events, begin with 1")
    if any(isinstance(event, Queued) for event in append.events):
        raise ValueError("a job is queued by the platform, not by an attempt")
    if isinstance(append.events[0], Started) != (append.number == 1) and not append.begins_anew:
        raise ValueError("the first event of an attempt, and no other, is Started")


def _check_platform(append: Append) -> None:
    if append.number:
        raise ValueError("the platform does not count its events")
    if not all(isinstance(event, Progress) for event in append.events[:-1]):
        raise ValueError("the platform appends one event at a time, which stages of the work may precede")
    if not isinstance(append.events[0], Queued | Progress | Retrying | Done | Failed):
        raise ValueError("the platform appends Queued, Progress, Retrying, Done and Failed only")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an append."""

    answer: Answer
    #: Of the job's last event, after it.
    position: Position = BEGINNING
    #: With a gap: the count of the event that must come next.
    expected: int = 0
    #: When fenced off: the attempt that writes now.
    attempt: int = 0


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What the store knows of a job when somebody wants to append."""

    epoch: str
    seq: int
    #: The newest attempt that has been heard of, its run and the count of its last event.
    attempt: int
    run: str
    number: int
    status: str
    closed: bool
    #: Names the store as it was at the last append; another one may have forgotten what it had taken. May be unknown.
    lineage: str

    @property
    def position(self) -> Position:
        """Of the last event."""
        return Position(self.epoch, self.seq)


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """Leave to write."""

    #: Events at the front that have been written before.
    skip: int = 0
    #: Whether the log begins anew, with an epoch of its own.
    begins: bool = False
    #: Whether the log goes on under another epoch.
    renames: bool = False
    #: The newest attempt from now on.
    attempt: int
    run: str
    number: int


def admit(known: Known | None, append: Append, lineage: str) -> Admission | Outcome:
    """Decide about an append; `lua/append.lua` says the same in its own language."""
    if known is None:
        if append.number > 1 and not append.begins_anew:
            return Outcome(answer="gap", expected=1)
        return Admission(begins=True, attempt=append.attempt, run=append.run, number=append.last_number)
    refusal = _refusal(known, append)
    if refusal is not None:
        return refusal
    renames = lineage not in ("", known.lineage)
    if not append.run and append.attempt <= known.attempt:
        return Admission(renames=renames, attempt=known.attempt, run=known.run, number=known.number)
    skip = max(0, _written(known, append) + 1 - append.number) if append.run else 0
    begins = append.begins_anew and not skip
    return Admission(
        skip=skip,
        begins=begins,
        renames=renames and not begins,
        attempt=append.attempt,
        run=append.run,
        number=append.last_number,
    )


def _refusal(known: Known, append: Append) -> Outcome | None:
    if _is_over(known, append):
        return Outcome(answer="fenced", position=known.position, attempt=known.attempt)
    if _is_duplicate(known, append):
        return Outcome(answer="duplicate", position=known.position)
    if known.closed:
        return Outcome(answer="closed", position=known.position)
    expected = _written(known, append) + 1
    if append.run and append.number > expected and not append.begins_anew:
        return Outcome(answer="gap", position=known.position, expected=expected)
    return None


def _is_over(known: Known, append: Append) -> bool:
    """Whether a newer attempt has begun."""
    if append.attempt == known.attempt:
        return append.run != "" and append.run < known.run
    return 0 < append.attempt < known.attempt


def _is_duplicate(known: Known, append: Append) -> bool:
    if append.run:
        return append.last_number <= _written(known, append)
    event = append.events[0]
    if isinstance(event, Retrying):
        return known.status == "retrying" and event.attempt == known.attempt
    return isinstance(event, Queued)


def _written(known: Known, append: Append) -> int:
    """How many events of this run have been written."""
    return known.number if (append.attempt, append.run) == (known.attempt, known.run) else 0


def new_epoch() -> str:
    """A name for a log that begins."""
    return os.urandom(6).hex()
