"""Goatherd with a sync for every transaction, claims and acks included: more than its promise needs."""

from pathlib import Path

import apsw

from benchmarks.contender import Contender, Promise
from benchmarks.sqlite.goatherd import GoatherdContender
from goatherd import Goatherd, Task
from goatherd.adapters.sqlite.database import Database


class SyncingContender(GoatherdContender):
    """Goatherd whose database never lets a transaction go without a sync."""

    def app(self, place: Path) -> tuple[Goatherd, Task[[int], None]]:
        # Patched when it is used, not when it is imported: the frame imports every contender for its label.
        setattr(Database, "_synchronise", _always_full)  # noqa: B010 - a method, so mypy wants no assignment
        return super().app(place)


def _always_full(database: Database, connection: apsw.Connection, level: str) -> None:
    if database._synchronous != "FULL":
        connection.execute("PRAGMA synchronous = FULL")
        database._synchronous = "FULL"


CONTENDER: Contender = SyncingContender(
    label="goatherd, all synced",
    promise=Promise(delivery="at least once", synced=True, note="sync with each send, claim and ack"),
)
