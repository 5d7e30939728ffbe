"""persist-queue at its simplest: what is taken is gone."""

from typing import Any

from persistqueue import FIFOSQLiteQueue

from benchmarks.contender import Contender, Promise
from benchmarks.sqlite.persistqueue_ack import PersistQueueContender
from benchmarks.tape import mark


def _work(queue: Any) -> None:
    mark(queue.get(block=False))


CONTENDER: Contender = PersistQueueContender(
    label="persist-queue, fifo",
    promise=Promise(delivery="at most once", synced=True, note="sync with each send and each take", shared=False),
    opens=lambda place: FIFOSQLiteQueue(place, multithreading=True),
    works=_work,
)
