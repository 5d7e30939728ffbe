"""persist-queue with acknowledgements."""

import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from persistqueue import Empty, SQLiteAckQueue

from benchmarks.contender import Contender, Producer, Promise
from benchmarks.tape import mark
from benchmarks.ways import by_threads, sends

#: Seconds between two looks at the file: the library wakes readers of its own process only.
LOOK_EVERY = 0.001

#: What SQLite calls a sync with every commit; persist-queue leaves it at the default of Python's SQLite.
FULL = 2


@dataclass(frozen=True, kw_only=True)
class PersistQueueContender:
    """One of persist-queue's classes on one SQLite file. It has no workers of its own: the loop here is the worker."""

    label: str
    promise: Promise
    on_uvloop: bool = False
    #: Opens the queue in a folder.
    opens: Callable[[str], Any]
    #: Takes one job and does it; raises Empty.
    works: Callable[[Any], None]
    #: Called when nothing waits, and at the end.
    rests: Callable[[Any], None] = lambda queue: None
    package: str = "persist-queue"

    async def prepare(self, place: Path) -> None:
        queue = self.opens(str(place))
        [level] = queue._putter.execute("PRAGMA synchronous").fetchone()
        queue.close()
        if level != FULL:
            raise RuntimeError(
                f"This Python's SQLite syncs at level {level} by default, so the promise would be wrong."
            )

    @asynccontextmanager
    async def producer(self, place: Path) -> AsyncIterator[Producer]:
        queue = self.opens(str(place))
        yield Producer(send=sends(queue.put), at_once=by_threads(queue.put))
        queue.close()

    def work(self, place: Path, stop: threading.Event) -> None:
        queue = self.opens(str(place))
        while not stop.is_set():
            try:
                self.works(queue)
            except Empty:
                self.rests(queue)
                time.sleep(LOOK_EVERY)
        self.rests(queue)
        queue.close()

    async def left(self, place: Path) -> int:
        queue = self.opens(str(place))
        left = queue.size
        queue.close()
        return int(left)


def _work(queue: Any) -> None:
    job = queue.get(block=False, raw=True)
    mark(job["data"])
    queue.ack(id=job["pqid"])


CONTENDER: Contender = PersistQueueContender(
    label="persist-queue, acks",
    promise=Promise(
        delivery="at least once",
        synced=True,
        note="sync with each send, take and ack; takes back what is unacked at its next start",
        shared=False,
    ),
    opens=lambda place: SQLiteAckQueue(place, multithreading=True),
    works=_work,
)
