"""What `goatherd doctor` says about a PostgreSQL: whether it keeps what it confirmed, and has room for all of us."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from goatherd.cli.check import Check, warning, well, wrong
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.server_facts import PostgresFacts, Use

#: What is lost after a crash, by setting.
_NOT_YET_WRITTEN = "what it confirmed in the last moments before a crash is lost: jobs in lanes, steps, outbox"


def postgres_checks(facts: PostgresFacts, app: Goatherd) -> Iterator[Check]:
    """All that is not as it should be, or that it is."""
    problems = [*_writes(facts), *_connections(facts, app)]
    if problems:
        yield from problems
        return
    used = ", ".join(facts.uses)
    room = f"{facts.connections} of {facts.most_connections} connections in use"
    yield well("postgresql", f"{facts.version} at {facts.server} for {used}, {room}")


def _writes(facts: PostgresFacts) -> Iterator[Check]:
    if not facts.writable:
        mend = "Name the primary server in the URL, or all of them with ?target_session_attrs=read-write"
        yield wrong("postgresql", f"{facts.server} is a standby or read-only: nothing can be written there", mend)
    if facts.synchronous_commit == "off":
        mend = "ALTER SYSTEM SET synchronous_commit = on, then SELECT pg_reload_conf(); also look at ALTER ROLE … SET."
        yield warning("postgresql", f"{facts.server} has synchronous_commit off, so {_NOT_YET_WRITTEN}", mend)
    if not facts.fsync:
        mend = "Set fsync = on in postgresql.conf and restart it; off is for tests only."
        yield warning("postgresql", f"{facts.server} has fsync off, so a crash may destroy the whole database", mend)


def _connections(facts: PostgresFacts, app: Goatherd) -> Iterator[Check]:
    stores = [store for use in facts.uses for store in stores_in(app, use)]
    # Each has a pool of its own, and some listen on one connection more.
    most = len(stores) * (facts.pool_size + 1)
    left = facts.most_connections - facts.connections
    if most <= left:
        return
    found = (
        f"{facts.server} has room for {counted(left, 'more connection')} (max_connections), but one process makes up "
        f"to {most:,}: {facts.pool_size + 1} each for {', '.join(stores)}"
    )
    mend = "Raise max_connections in postgresql.conf, or lower the pools with ?pool_size= in the URL."
    yield warning("postgresql", found, mend)


def stores_in(app: Goatherd, use: Use) -> Iterator[str]:
    """What a process of this app may open there."""
    tasks = app.definitions()
    if use == "lanes":
        wanted = {"lanes": any(task.lane is not None for task in tasks), "tallies": bool(app.tallies)}
    else:
        wanted = {
            "history": any(task.tracked for task in tasks) or bool(app.pipelines),
            "pipelines": bool(app.pipelines or app.ticks),
            "schedules": bool(app.ticks),
            "unique jobs": any(task.unique is not None for task in tasks),
            "listeners": bool(app.listener_book.listened()),
            "inbox": bool(app.inboxes),
        }
    yield from (name for name, there in wanted.items() if there)
