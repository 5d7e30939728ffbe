"""What a worker of the crash run writes down: every start and end is a line on disk before it counts."""

import os
import time
from pathlib import Path

from goatherd.model.lane import Fence

JOURNAL = "FLOCK_JOURNAL"
_journal: list[int] = []


def mark(what: str, fence: Fence | None, number: int = 0) -> None:
    """One unbuffered append: it survives `kill -9`, and no other process writes there. The test itself writes none."""
    if JOURNAL not in os.environ:
        return
    if not _journal:
        path = Path(os.environ[JOURNAL]) / f"{os.getpid()}.log"
        _journal.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
    unit, token = ("-", number) if fence is None else (fence.key, fence.token)
    os.write(_journal[0], f"{what} {unit} {token} {time.time()}\n".encode())
