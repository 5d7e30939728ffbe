"""Proof that a worker lives, and a note of what it is doing, both readable after `kill -9`.

Each worker holds a lock on a small file of its own. The kernel frees the lock when the process dies, however it dies,
so others know at once. In the file, mapped to memory, stand the jobs whose code runs at the moment: writing there
costs no system call, and the kernel keeps it when the process is gone.
"""

import fcntl
import mmap
import os
from pathlib import Path

#: Jobs that can be noted as running at once; beyond it a death is simply not counted against the job.
SLOTS = 4096


class Ledger:
    """The living worker's own side."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Really allocated: on a full disk, writing to memory without a place on the disk would kill the process.
            os.posix_fallocate(self._file, 0, SLOTS * 8)
            self._memory = mmap.mmap(self._file, SLOTS * 8)
        except BaseException:
            os.close(self._file)
            path.unlink(missing_ok=True)
            raise
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
        if slot is not None and not self._memory.closed:
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


def is_dead(path: Path) -> bool:
    """Whether the worker of a ledger has died; without its file that cannot be known."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(file)


def was_running(path: Path) -> list[int]:
    """The jobs whose code a dead or frozen worker was running."""
    try:
        entries = memoryview(path.read_bytes())
    except FileNotFoundError:
        return []
    return [job for job in entries[: len(entries) // 8 * 8].cast("Q") if job]
