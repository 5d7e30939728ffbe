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
    if facts.standby:
        mend = "Name the primary server in the URL, or all of them with ?target_session_attrs=read-write"
        yield wrong("postgresql", f"{facts.server} is a standby: nothing can be written there", mend)
    if facts.settings["default_transaction_read_only"].value == "on":
        found = f"{facts.server} is read-only (default_transaction_read_only): nothing can be written there"
        yield wrong("postgresql", found, _set(facts, "default_transaction_read_only", "off"))
    if facts.settings["synchronous_commit"].value == "off":
        found = f"{facts.server} has synchronous_commit off, so {_NOT_YET_WRITTEN}"
        yield warning("postgresql", found, _set(facts, "synchronous_commit", "on"))
    if facts.settings["fsync"].value == "off":
        found = f"{facts.server} has fsync off, so a crash may destroy the whole database"
        yield warning("postgresql", found, _set(facts, "fsync", "on"))


def _set(facts: PostgresFacts, name: str, value: str) -> str:
    """The statement that changes a setting where it is said: what is said nearer to the user goes first."""
    user, database = (f'"{each.replace(chr(34), chr(34) * 2)}"' for each in (facts.user, facts.database))
    match facts.settings[name].source:
        case "database":
            where = f"DATABASE {database}"
        case "user":
            where = f"ROLE {user}"
        case "database user":
            where = f"ROLE {user} IN DATABASE {database}"
        case "command line":
            return f"Start the server without {name} on its command line."
        case "client" | "environment variable":
            return f"Take {name} out of PGOPTIONS, here and where your programs run."
        case _:
            return f"ALTER SYSTEM SET {name} = {value}; SELECT pg_reload_conf();"
    return f"ALTER {where} SET {name} = {value};"


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
