"""Listeners: which queues workers listen to because data wants it, and why one is not listened to."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from goatherd.desk.errors import NotThere
from goatherd.desk.glance import glances_of
from goatherd.model.envelope import moment
from goatherd.model.listener import Condition, ListenerRow

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.listeners import ListenerRecords

#: Listeners that are counted.
MOST = 10_000
#: Seconds for which their number is good enough.
FRESH_FOR = 5.0


@dataclass(frozen=True, kw_only=True)
class ListenerFacts:
    """The listener of one queue in one process."""

    queue: str
    pattern: str
    #: The process, as `host:pid:…`, and seconds since it was last heard of.
    process: str
    silent: float
    #: Whether nobody needs to look at it.
    healthy: bool
    condition: Condition
    since: datetime
    #: How often it was started again after it had run, and failed starts since it last ran.
    restarts: int
    failures: int
    #: Why it is not running, in words; what ended it last, if it runs again.
    why: str
    last_delivery: datetime | None


@dataclass(frozen=True, kw_only=True)
class ListenerCounts:
    """How many there are, over all processes that live."""

    total: int
    unhealthy: int
    quarantined: int


async def listeners(
    app: Goatherd, *, pattern: str | None = None, unhealthy: bool = False, limit: int = 200
) -> list[ListenerFacts]:
    """Those of all processes that live, the ailing ones first; none of an app without them. Raises Unavailable."""
    if not app.listener_book.listened():
        return []
    found = await (await _records(app)).find(pattern=pattern, unhealthy=unhealthy, limit=limit)
    return [_facts(row) for row in found]


async def counts(app: Goatherd) -> ListenerCounts:
    """How many there are; raises Unavailable."""
    if not app.listener_book.listened():
        return ListenerCounts(total=0, unhealthy=0, quarantined=0)
    return await glances_of(app).of("listeners", lambda: _counted(app), FRESH_FOR).get()


async def _counted(app: Goatherd) -> ListenerCounts:
    rows = await (await _records(app)).find(limit=MOST)
    return ListenerCounts(
        total=len(rows),
        unhealthy=sum(not row.standing.healthy for row in rows),
        quarantined=sum(row.standing.condition == "quarantined" for row in rows),
    )


def patterns(app: Goatherd) -> list[str]:
    """What the app listens to, in the order of its code."""
    return [each.pattern for each in app.listener_book.listened()]


async def restart(app: Goatherd, queue: str) -> int:
    """Have the listeners of a queue started anew, and tell how many there are; raises NotThere or Unavailable."""
    return await restart_by(await _records(app), queue)


async def restart_by(records: ListenerRecords, queue: str) -> int:
    """The same by records that are open."""
    workers = await records.restart(queue)
    if not workers:
        told = f"No worker that lives has a listener for {queue!r}, so nothing was restarted."
        raise NotThere("listener", queue, told=told)
    return workers


async def _records(app: Goatherd) -> ListenerRecords:
    return await app.session().recurring.listeners()


def _facts(row: ListenerRow) -> ListenerFacts:
    standing = row.standing
    return ListenerFacts(
        queue=row.queue,
        pattern=row.pattern,
        process=row.process,
        silent=row.silent,
        healthy=standing.healthy,
        condition=standing.condition,
        since=moment(standing.since),
        restarts=standing.restarts,
        failures=standing.failures,
        why=standing.why,
        last_delivery=None if standing.last_delivery is None else moment(standing.last_delivery),
    )
