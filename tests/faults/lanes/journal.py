"""What a worker of the crash run writes down: every start and end is a line on disk before it counts."""

import os
import time
from pathlib import Path

_journal: list[int] = []


def mark(what: str, key: str, number: int) -> None:
    """One unbuffered append: it survives `kill -9`, and no other process writes there."""
    if not _journal:
        path = Path(os.environ["FLOCK_JOURNAL"]) / f"{os.getpid()}.log"
        _journal.append(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT))
    os.write(_journal[0], f"{what} {key} {number} {time.time()}\n".encode())
