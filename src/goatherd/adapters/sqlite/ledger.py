"""Proof that a worker lives, and a note of what it is doing, both readable after `kill -9`.

Each worker holds a lock on a small file of its own. The kernel frees the lock when the process dies, however it dies,
so others know at once. In the file, mapped to memory, stand the jobs whose code runs at the moment: writing there
costs no system call, and the kernel keeps it when the process is gone.
"""

import fcntl
import mmap
import os
from pathlib import Path
from typing import Self

#: Jobs that can be noted as running at once; beyond it a death is simply not counted against the job.
SLOTS = 4096


class Ledger:
    """The living worker's own side."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.ftruncate(self._file, SLOTS * 8)
        self._memory = mmap.mmap(self._file, SLOTS * 8)
        self._running = memoryview(self._memory).cast("Q")
        self._free = list(range(SLOTS - 1, -1, -1))

    def begin(self, job: int) -> int | None:
        """Note that a job's code runs; returns its place for `end`."""
        if not self._free:
            return None
        slot = self._free.pop()
        self._running[slot] = job
        return slot

    def end(self, slot: int | None) -> None:
        """Its code has ended."""
        if slot is not None:
            self._running[slot] = 0
            self._free.append(slot)

    def close(self) -> None:
        """Remove the file."""
        self.let_go()
        self._path.unlink(missing_ok=True)

    def let_go(self) -> None:
        """Drop the lock and leave the file, as the kernel does when a process dies."""
        self._running.release()
        self._memory.close()
        os.close(self._file)


class DeadLedger:
    """What a dead worker left; made by `of`, which tells whether it is dead at all."""

    def __init__(self, path: Path, file: int) -> None:
        self._path = path
        self._file = file

    @classmethod
    def of(cls, path: Path) -> Self | None:
        """The ledger if its worker is dead; None while it lives or when there is no such file."""
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return None
        return cls(path, file)

    def running(self) -> list[int]:
        """The jobs whose code was running."""
        entries = memoryview(os.pread(self._file, SLOTS * 8, 0))
        return [job for job in entries[: len(entries) // 8 * 8].cast("Q") if job]

    def close(self, *, remove: bool) -> None:
        """Let go; remove the file when its jobs have been given back."""
        if remove:
            self._path.unlink(missing_ok=True)
        os.close(self._file)
