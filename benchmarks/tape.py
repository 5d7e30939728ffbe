"""What a worker process writes down about the jobs it does. Every contender's job is `mark(sent)`.

The tapes of all worker processes of a run are in one small shared file, where the frame sees how far they are. Being
shared, they also hold what is written by a process that a worker forks to do the job. Times are of the system's
monotonic clock, which all processes share.
"""

import mmap
import os
import threading
import time
from pathlib import Path
from typing import Any

from benchmarks.cpu import family_ns

#: Seconds for which the first job of a worker waits for the first jobs of its fellows.
GATE_DEADLINE = 5.0
#: The number that says: this job only warms up.
WARM_UP = 0

#: The file begins with the number of tapes and the jobs that each has room for.
_PREFACE = 2
#: Each tape has a count and the processor time at the first and the last job that counts, ...
_COUNT, _CPU_BEGAN, _CPU_ENDED, _HEAD = range(4)
#: ... and for each job the moments when it started and when it was sent.
_MARK = 2


class Tape:
    """The record of one worker process."""

    def __init__(self, path: Path, *, slot: int = 0, skipped: int = 0, expected: int = 0) -> None:
        self._words = _shared(path)
        self._slots, self._room = self._words[0], self._words[1]
        self._head = _PREFACE + slot * _HEAD
        self._first = _PREFACE + self._slots * _HEAD + slot * self._room * _MARK
        #: Processor time is taken from the first job after those that are skipped to the last that is expected.
        self._first_counted, self._last_counted = skipped + 1, expected
        self._lock = threading.Lock()
        self._done = 0
        #: The worker itself; what it forks is its family.
        self._worker = os.getpid()

    def mark(self, sent: int) -> None:
        """A job starts; `sent` is the moment of its sending."""
        with self._lock:
            if not self._done:
                self._wait_for_fellows()
            if self._done < self._room:
                at = self._first + self._done * _MARK
                self._words[at], self._words[at + 1] = time.monotonic_ns(), sent
            self._done += 1
            self._words[self._head + _COUNT] = self._done
            if self._done == self._first_counted:
                self._words[self._head + _CPU_BEGAN] = family_ns(self._worker)
            elif self._done == self._last_counted:
                self._words[self._head + _CPU_ENDED] = family_ns(self._worker)

    def record(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        done = min(self._words[self._head + _COUNT], self._room)
        flat = self._words[self._first : self._first + done * _MARK].tolist()
        marks = list(zip(flat[::_MARK], flat[1::_MARK], strict=True))
        return {"marks": marks, "cpu_ns": self._words[self._head + _CPU_ENDED] - self._words[self._head + _CPU_BEGAN]}

    def span(self) -> dict[str, Any]:
        """How many jobs there were and the seconds from the first start to the last, where there are too many to tell.

        They must fit on the tape.
        """
        done = self._words[self._head + _COUNT]
        moments = [self._words[self._first + place * _MARK] for place in (0, done - 1)] if done else [0, 0]
        return {"done": done, "seconds": (moments[1] - moments[0]) / 1_000_000_000}

    def _wait_for_fellows(self) -> None:
        """Until every worker of the run has a job, so that none profits from having started earlier."""
        self._words[self._head + _COUNT] = 1
        deadline = time.monotonic() + GATE_DEADLINE
        while not all(_counts(self._words)) and time.monotonic() < deadline:
            time.sleep(0.0005)


class Counts:
    """The shared tapes, made and seen by the frame."""

    def __init__(self, path: Path, slots: int, jobs: int) -> None:
        # Twice the room, so that a contender that does jobs twice is seen to do so.
        room = 2 * jobs + 1
        self.path = path
        path.write_bytes(bytes(8 * (_PREFACE + slots * (_HEAD + room * _MARK))))
        self._words = _shared(path)
        self._words[0], self._words[1] = slots, room

    def total(self) -> int:
        """How many jobs all workers have begun."""
        return sum(_counts(self._words))


def _shared(path: Path) -> memoryview:
    with path.open("r+b") as file:
        return memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")


def _counts(words: memoryview) -> list[int]:
    return [words[_PREFACE + slot * _HEAD + _COUNT] for slot in range(words[0])]


_tape: Tape | None = None


def insert(tape: Tape) -> None:
    """Make it the tape of this process."""
    global _tape  # noqa: PLW0603 - libraries call the job by name, so the tape cannot be handed to it
    _tape = tape


def mark(sent: int) -> None:
    """The body of every contender's job."""
    if _tape is not None:
        _tape.mark(sent)
