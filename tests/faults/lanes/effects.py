"""Where the jobs of the crash run have their effect: one row for each, written with the fence in one transaction."""

import os
import threading
from contextlib import closing
from pathlib import Path

import apsw
import psycopg
from psycopg_pool import AsyncConnectionPool

from goatherd import Context
from goatherd.engine.ticket import FENCE_TABLE
from goatherd.sync import Context as BlockingContext

#: Seconds for which one who writes waits for others, who may be frozen.
PATIENCE = 30.0
EFFECTS = "FLOCK_EFFECTS"

_INSERT = "INSERT INTO effect (key, number) VALUES ({mark}, {mark})"
_ALL = "SELECT key, number FROM effect ORDER BY place"


class FileEffects:
    """A SQLite file beside everything else; each thread has a connection of its own."""

    def __init__(self) -> None:
        self._own = threading.local()

    def write(self, ctx: BlockingContext | None, key: str, number: int) -> None:
        """Raises Fenced, and then nothing is written; without a context there is no fence."""
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(_INSERT.format(mark="?"), (key, number))
            if ctx is not None:
                ctx.commit_with(connection)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise

    def _connection(self) -> apsw.Connection:
        if not hasattr(self._own, "connection"):
            self._own.connection = _opened(Path(os.environ[EFFECTS]))
        connection: apsw.Connection = self._own.connection
        return connection

    @staticmethod
    def make(path: Path) -> None:
        """An empty file."""
        with closing(_opened(path)) as connection:
            connection.execute("CREATE TABLE effect (place INTEGER PRIMARY KEY, key TEXT, number INTEGER)")
            connection.execute(FENCE_TABLE)

    @staticmethod
    def read(path: Path) -> list[tuple[str, int]]:
        """All effects, in the order in which they were made."""
        with closing(_opened(path)) as connection:
            return [(key, number) for key, number in connection.execute(_ALL)]


class TableEffects:
    """A table in the database in which the lanes are, too."""

    def __init__(self) -> None:
        self._pool: AsyncConnectionPool | None = None

    async def write(self, ctx: Context, key: str, number: int) -> None:
        """Raises Fenced, and then nothing is written."""
        if self._pool is None:
            self._pool = AsyncConnectionPool(os.environ[EFFECTS], min_size=1, max_size=4, open=False)
        await self._pool.open()
        async with self._pool.connection() as connection:
            await connection.execute(_INSERT.format(mark="%s").encode(), (key, number))
            await ctx.commit_with(connection)

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()

    @staticmethod
    def make(url: str) -> None:
        """An empty table."""
        with psycopg.connect(url, autocommit=True) as connection:
            place = "place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
            connection.execute(f"CREATE TABLE effect ({place}, key text, number integer)".encode())

    @staticmethod
    def read(url: str) -> list[tuple[str, int]]:
        """All effects of each key in the order in which they were made: its lane is locked meanwhile."""
        with psycopg.connect(url, autocommit=True) as connection:
            return [(key, number) for key, number in connection.execute(_ALL).fetchall()]


def _opened(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(int(PATIENCE * 1000))
    # A process that dies loses nothing by it; only the machine's own death would.
    connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
    return connection
