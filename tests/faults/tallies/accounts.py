"""Where totals have their effect: written with the fence in one transaction, in a file beside everything else."""

import os
import threading
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from goatherd.engine.ticket import FENCE_TABLE
from goatherd.sync import Context

#: Seconds for which one who writes waits for others.
PATIENCE = 30.0
ACCOUNTS = "COINS_ACCOUNTS"

_own = threading.local()


def write_down(ctx: Context, streamer: str, total: int) -> None:
    """Raises Fenced, and then nothing is written."""
    if not hasattr(_own, "connection"):
        _own.connection = _opened(Path(os.environ[ACCOUNTS]))
    connection: apsw.Connection = _own.connection
    assert ctx.fence is not None
    connection.execute("BEGIN IMMEDIATE")
    try:
        row = (streamer, ctx.fence.seq, ctx.job_id, total)
        connection.execute("INSERT INTO received (streamer, seq, job, total) VALUES (?, ?, ?, ?)", row)
        ctx.commit_with(connection)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def make_accounts(path: Path) -> None:
    """An empty file."""
    with closing(_opened(path)) as connection:
        connection.execute(
            "CREATE TABLE received (place INTEGER PRIMARY KEY, streamer TEXT, seq INTEGER, job TEXT, total INTEGER)"
        )
        connection.execute(FENCE_TABLE)


@dataclass
class Received:
    """What one streamer got, in the order in which it was written down."""

    totals: list[int] = field(default_factory=list)
    seqs: list[int] = field(default_factory=list)
    #: Numbers of the batches, at the ends of the jobs' ids.
    batches: list[int] = field(default_factory=list)


def read_accounts(path: Path) -> dict[str, Received]:
    """By streamer."""
    found: dict[str, Received] = defaultdict(Received)
    with closing(_opened(path)) as connection:
        for streamer, seq, job, total in connection.execute(
            "SELECT streamer, seq, job, total FROM received ORDER BY place"
        ):
            found[streamer].totals.append(total)
            found[streamer].seqs.append(seq)
            found[streamer].batches.append(int(job.rpartition(":")[2]))
    return found


def _opened(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(int(PATIENCE * 1000))
    # A process that dies loses nothing by it; only the machine's own death would.
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    return connection
