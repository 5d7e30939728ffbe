"""Stores for the machine of runs: a file for each life, and an app of its own on PostgreSQL."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import apsw

from goatherd.adapters.postgres.opening import open_steps as open_on_postgres
from goatherd.adapters.sqlite import opening
from goatherd.adapters.sqlite.steps import SqliteSteps
from goatherd.testing.suites.step_store import StepStore
from tests.conformance.lane_grounds import TimeOf
from tests.conformance.postgres_store import operator
from tests.conformance.test_postgres_steps import TABLES as POSTGRES_TABLES
from tests.conformance.test_postgres_steps import settings as on_postgres

#: Seconds for one call.
DEADLINE = 20.0

SQLITE_TABLES = ("run", "run_unit", "run_letter")


class SqliteGround:
    """A file for each life; each client has a connection of its own, as in another process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    @property
    def path(self) -> Path:
        return self._folder / f"{self._count}.db"

    async def clear(self) -> None:
        self._count += 1

    async def open(self, now: Callable[[], float]) -> StepStore:
        files = opening.Files()
        database = await asyncio.to_thread(files.take, self.path)

        async def give_back() -> None:
            await asyncio.to_thread(files.give_back, database)

        return SqliteSteps(database, TimeOf(now), deadline=DEADLINE, give_back=give_back)  # type: ignore[arg-type]

    async def kept(self) -> Sequence[str]:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(5000)
        try:
            return [table for table in SQLITE_TABLES if connection.execute(f"SELECT 1 FROM {table}").fetchall()]
        finally:
            connection.close()


class PostgresGround:
    """An app for each life, in the database that all share, or in another one."""

    def __init__(self, url: str | None = None) -> None:
        self._url = url
        self._app = ""

    async def clear(self) -> None:
        if self._app:
            async with operator(self._url) as connection:
                for table in POSTGRES_TABLES:
                    await connection.execute(f"DELETE FROM goatherd.{table} WHERE app = %s".encode(), (self._app,))
        self._app = f"machine-{uuid4().hex}"

    async def open(self, now: Callable[[], float]) -> StepStore:
        return await open_on_postgres(on_postgres(self._app, self._url, publish_deadline=DEADLINE), now)

    async def kept(self) -> Sequence[str]:
        found = []
        async with operator(self._url) as connection:
            for table in POSTGRES_TABLES[:3]:
                cursor = await connection.execute(
                    f"SELECT 1 FROM goatherd.{table} WHERE app = %s".encode(), (self._app,)
                )
                found += [table] if await cursor.fetchone() else []
        return found
