"""What a worker process writes down about the jobs it does. Every contender's job is `mark(sent)`.

The counts of all worker processes of a run stand in one small shared file, where the frame sees how far they are.
Times are of the system's monotonic clock, which all processes share.
"""

import mmap
import threading
import time
from pathlib import Path
from typing import Any

#: Seconds for which the first job of a worker waits for the first jobs of its fellows.
GATE_DEADLINE = 5.0
#: The number that says: this job only warms up.
WARM_UP = 0


class Tape:
    """The record of one worker process."""

    def __init__(self, counts: Path, *, slot: int = 0, expected: int = 0) -> None:
        with counts.open("r+b") as file:
            self._counts = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")
        self._slot = slot
        self._expected = expected
        self._first = threading.Lock()
        self._begun = False
        self._marks: list[tuple[int, int]] = []
        self._cpu = [0, 0]

    def mark(self, sent: int) -> None:
        """A job starts; `sent` is the moment of its sending."""
        if not self._begun:
            self._begin()
        self._marks.append((time.monotonic_ns(), sent))
        done = len(self._marks)
        self._counts[self._slot] = done
        if done == self._expected:
            self._cpu[1] = time.process_time_ns()

    def record(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        return {"marks": self._marks, "cpu_ns": self._cpu[1] - self._cpu[0]}

    def _begin(self) -> None:
        """Wait until every worker of the run has a job, so that none profits from having started earlier."""
        with self._first:
            if self._begun:
                return
            self._counts[self._slot] = 1
            deadline = time.monotonic() + GATE_DEADLINE
            while not all(self._counts) and time.monotonic() < deadline:
                time.sleep(0.0005)
            self._cpu[0] = time.process_time_ns()
            self._begun = True


class Counts:
    """The shared counts, seen by the frame."""

    def __init__(self, path: Path, slots: int) -> None:
        path.write_bytes(bytes(8 * slots))
        self.path = path
        with path.open("r+b") as file:
            self._view = memoryview(mmap.mmap(file.fileno(), 0)).cast("Q")

    def total(self) -> int:
        """How many jobs all workers have begun."""
        return sum(self._view)


_tape: Tape | None = None


def insert(tape: Tape) -> None:
    """Make it the tape of this process."""
    global _tape  # noqa: PLW0603 - libraries call the job by name, so the tape cannot be handed to it
    _tape = tape


def mark(sent: int) -> None:
    """The body of every contender's job."""
    if _tape is not None:
        _tape.mark(sent)
