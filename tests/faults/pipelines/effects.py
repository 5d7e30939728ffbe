"""Where the steps of the crash run have their effects: one row for each, written with the fence in one transaction."""

import os
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import psycopg

from goatherd.engine.ticket import FENCE_TABLE
from goatherd.errors import Fenced
from goatherd.sync import Context

#: Where they are: a path, or the URL of a database.
EFFECTS = "DRIVE_EFFECTS"
#: Set where they are made without the fence, to see what it is for.
FENCELESS = "DRIVE_FENCELESS"
#: Seconds for which one who writes waits for others, who may be frozen.
PATIENCE = 30.0

#: A unit as its fence calls it, and the token of the attempt that had the effect.
Effect = tuple[str, int]
_TABLE = "CREATE TABLE effect (unit text NOT NULL, token bigint NOT NULL)"
_ALL = "SELECT unit, token FROM effect"


class Effects:
    """In a file or in a database; each thread has a connection of its own."""

    def __init__(self) -> None:
        self._own = threading.local()

    def make(self, ctx: Context) -> int:
        """Have the effect, or find that an earlier attempt had it; gives the token of the one who did.

        Raises Fenced where another has the unit now; then nothing is written.
        """
        unit, token = ctx.fence.key, ctx.fence.token
        try:
            with self._transaction() as connection:
                connection.execute(_marked("INSERT INTO effect (unit, token) VALUES (?, ?)"), (unit, token))
                if FENCELESS not in os.environ:
                    ctx.commit_with(connection)
        except Fenced as fenced:
            if not fenced.applied:
                raise
            with self._transaction() as connection:
                [[earlier]] = connection.execute(_marked("SELECT token FROM effect WHERE unit = ?"), (unit,)).fetchall()
                return int(earlier)
        return token

    @contextmanager
    def _transaction(self) -> Iterator[Any]:
        connection = self._connection()
        if isinstance(connection, psycopg.Connection):
            with connection.transaction():
                yield connection
            return
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _connection(self) -> Any:
        known = getattr(self._own, "connection", None)
        if known is None or (isinstance(known, psycopg.Connection) and known.broken):
            self._own.connection = _opened(os.environ[EFFECTS])
        return self._own.connection


def make_place(place: str) -> None:
    """Have tables for effects, without any."""
    with closing(_opened(place)) as connection:
        connection.execute(_TABLE)
        connection.execute(FENCE_TABLE)


def read_effects(place: str) -> list[Effect]:
    """All of them."""
    with closing(_opened(place)) as connection:
        return [(unit, token) for unit, token in connection.execute(_ALL).fetchall()]


def _marked(sql: str) -> str:
    return sql.replace("?", "%s") if os.environ[EFFECTS].startswith("postgres") else sql


def _opened(place: str) -> Any:
    if place.startswith("postgres"):
        return psycopg.connect(place, autocommit=True, connect_timeout=10)
    connection = apsw.Connection(str(Path(place)))
    connection.set_busy_timeout(int(PATIENCE * 1000))
    # A process that dies loses nothing by it; only the machine's own death would.
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    return connection
