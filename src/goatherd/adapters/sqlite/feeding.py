"""Put what is written into a job's log into the feed of routers, too, in the same transaction."""

from collections.abc import Sequence

import apsw

from goatherd.adapters.sqlite.queries import run, value
from goatherd.model.event import Entry
from goatherd.ports.feed import LARGEST_BODY, Limits

#: What routers watch: the events of all jobs. No job has an empty id.
ROUTERS = ""

LIMITS = Limits()
#: Events after which it is looked for too many.
LOOK_EVERY = 64


def feed(connection: apsw.Connection, job: str, entries: Sequence[Entry], now: float) -> None:
    """All but tokens; and drop what has waited for a router for too long."""
    fed = [entry for entry in entries if entry.kind != "token"]
    for entry in fed:
        body = entry.body if len(entry.body) <= LARGEST_BODY else b""
        run(connection, "feed_event", (job, entry.position.epoch, entry.position.seq, entry.kind, body, now))
    if fed and connection.last_insert_rowid() % LOOK_EVERY < len(fed):
        _drop_oldest(connection)


def _drop_oldest(connection: apsw.Connection) -> None:
    limit = LIMITS.routed if value(connection, "feed_routed") else LIMITS.unrouted
    dropped = run(connection, "trim_feed", (limit,))
    if dropped:
        run(connection, "count_dropped", (dropped,))
