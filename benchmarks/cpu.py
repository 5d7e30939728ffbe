"""Processor time of a process together with the processes that it started."""

import time
from pathlib import Path

#: The part of a Linux clock id that asks for what a whole process has used, in nanoseconds.
_PROCESS_CLOCK = 2


def family_ns(pid: int) -> int:
    """What the process and its living descendants have used until now."""
    return sum(map(_used_ns, family(pid)))


def family(pid: int) -> list[int]:
    """The process and its living descendants."""
    members = [pid]
    for member in members:
        for thread in Path(f"/proc/{member}/task").glob("*/children"):
            members += map(int, thread.read_text().split())
    return members


def _used_ns(pid: int) -> int:
    return time.clock_gettime_ns((~pid << 3) | _PROCESS_CLOCK)
