"""Stores for the machine of schedules: a file for each life, and an app of its own on PostgreSQL."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from goatherd.adapters.postgres.opening import open_schedules as open_on_postgres
from goatherd.adapters.sqlite import opening
from goatherd.adapters.sqlite.schedules import SqliteSchedules
from goatherd.testing.suites.schedule_store import ScheduleStore
from tests.conformance.lane_grounds import TimeOf
from tests.conformance.postgres_store import operator
from tests.conformance.test_postgres_steps import settings as on_postgres

#: Seconds for one call.
DEADLINE = 20.0


class SqliteGround:
    """A file for each life; each client has a connection of its own, as in another process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    async def clear(self) -> None:
        self._count += 1

    async def open(self, now: Callable[[], float]) -> ScheduleStore:
        files = opening.Files()
        database = await asyncio.to_thread(files.take, self._folder / f"{self._count}.db")

        async def give_back() -> None:
            await asyncio.to_thread(files.give_back, database)

        return SqliteSchedules(database, TimeOf(now), deadline=DEADLINE, give_back=give_back)  # type: ignore[arg-type]


class PostgresGround:
    """An app for each life, in the database that all share, or in another one."""

    def __init__(self, url: str | None = None) -> None:
        self._url = url
        self._app = ""

    async def clear(self) -> None:
        if self._app:
            async with operator(self._url) as connection:
                await connection.execute("DELETE FROM goatherd.schedule WHERE app = %s", (self._app,))
        self._app = f"machine-{uuid4().hex}"

    async def open(self, now: Callable[[], float]) -> ScheduleStore:
        return await open_on_postgres(on_postgres(self._app, self._url, publish_deadline=DEADLINE), now)
