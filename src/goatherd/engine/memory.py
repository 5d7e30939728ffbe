"""How much memory this process has in use."""

import os
from pathlib import Path

_STATM = Path("/proc/self/statm")


def memory_in_use() -> int | None:
    """In bytes; None where the system does not tell."""
    try:
        resident = _STATM.read_bytes().split()[1]
    except OSError:
        return None
    return int(resident) * os.sysconf("SC_PAGE_SIZE")
