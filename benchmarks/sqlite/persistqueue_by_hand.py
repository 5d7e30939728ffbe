"""persist-queue whose reader only moves a cursor, and commits it for many jobs together."""

from typing import Any

from persistqueue import FIFOSQLiteQueue

from benchmarks.contender import Contender, Promise
from benchmarks.sqlite.persistqueue_ack import PersistQueueContender
from benchmarks.tape import mark

#: Jobs between two commits: as many as a Goatherd worker holds by default.
BATCH = 32


def _work(queue: Any) -> None:
    mark(queue.get(block=False))
    if queue.cursor % BATCH == 0:
        queue.task_done()


CONTENDER: Contender = PersistQueueContender(
    label="persist-queue, by hand",
    promise=Promise(
        delivery="at least once",
        synced=True,
        note=f"sync with each send and once for {BATCH} jobs; its reader repeats those after a crash",
        shared=False,
    ),
    opens=lambda place: FIFOSQLiteQueue(place, multithreading=True, auto_commit=False),
    works=_work,
    rests=lambda queue: queue.task_done(),
)
