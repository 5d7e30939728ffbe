"""One SQLite file: a connection that writes and one that reads, each in a thread of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import apsw

from examples.running.database.database import PATIENCE, DatabaseAway, Desk, MakeTables, Row

_T = TypeVar("_T")


class SqliteDatabase:
    """One file, for all programs on this machine."""

    def __init__(self, path: Path, make_tables: MakeTables) -> None:
        self._path = path
        self._make_tables = make_tables
        # Made when it is opened: a lock belongs to a loop.
        self._turn: asyncio.Lock

    async def open(self) -> None:
        """Have the file, the tables, and what is in them at first."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._turn = asyncio.Lock()
        self._writer, self._reader = _Connection(self._path), _Connection(self._path)
        await self._writer.do("PRAGMA journal_mode = wal")
        await self._writer.do("PRAGMA synchronous = full")
        async with self.transaction() as desk:
            await self._make_tables(desk, "INTEGER PRIMARY KEY")

    async def close(self) -> None:
        """Once."""
        for one in (self._writer, self._reader):
            await one.close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Desk]:
        """One at a time, of all programs."""
        async with self._turn:
            try:
                # At once, so that it never reads what another is about to change.
                await self._writer.do("BEGIN IMMEDIATE")
                yield self._writer
                await self._writer.do("COMMIT")
            except BaseException:
                await self._writer.roll_back()
                raise

    async def read(self, sql: str, *values: object) -> Sequence[Row]:
        """Look at what is committed, also while another writes."""
        return await self._reader.do(sql, *values)


class _Connection:
    """One connection in one thread: statements follow each other, also where nobody waits for them any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="database")
        self.connection = apsw.Connection(str(path))
        self.connection.set_busy_timeout(int(1000 * PATIENCE))

    async def do(self, sql: str, *values: Any) -> Sequence[Row]:
        try:
            return await self._in_thread(lambda: list(self.connection.execute(sql, values)))
        except apsw.BusyError as error:
            raise DatabaseAway(f"the file {self._path.name} was busy for {PATIENCE:g} s; try again") from error

    async def roll_back(self) -> None:
        def back() -> None:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")

        await self._in_thread(back)

    async def close(self) -> None:
        await self._in_thread(self.connection.close)
        self._thread.shutdown()

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
