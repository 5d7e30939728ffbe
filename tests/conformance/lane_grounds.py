"""Stores for the machine of lanes: a file, a name of one's own on Redis, and tables on PostgreSQL."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from uuid import uuid4

import apsw

from goatherd.adapters.postgres.opening import open_lanes as open_on_postgres
from goatherd.adapters.redis.address import read_address
from goatherd.adapters.redis.lanes import RedisLanes
from goatherd.adapters.sqlite import opening
from goatherd.adapters.sqlite.lanes import SqliteLanes
from goatherd.testing.suites.lane_store import LaneStore
from scripts.servers.addresses import redis_url
from tests.conformance.postgres_store import operator as postgres_operator
from tests.conformance.postgres_store import settings as on_postgres
from tests.conformance.redis_store import lasting_keys, operator

#: Seconds for one call.
DEADLINE = 20.0

SQLITE_TABLES = ("lane", "lane_job", "lane_later", "lane_letter", "lane_peer", "lane_named", "lane_mark")

POSTGRES_TABLES = ("lane_head", "lane_item", "lane_later", "lane_letter", "lane_tail", "lane_peer", "lane_name")


class TimeOf:
    """Satisfies as much of `Clock` as stores use."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now


class SqliteGround:
    """A file for each life; each client has a connection of its own, as in another process."""

    outlasts_its_clock = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    @property
    def path(self) -> Path:
        return self._folder / f"{self._count}.db"

    async def clear(self) -> None:
        self._count += 1

    async def open(self, now: Callable[[], float]) -> LaneStore:
        files = opening.Files()
        database = await asyncio.to_thread(files.take, self.path)

        async def give_back() -> None:
            await asyncio.to_thread(files.give_back, database)

        return SqliteLanes(database, TimeOf(now), deadline=DEADLINE, give_back=give_back)  # type: ignore[arg-type]

    async def wipe(self) -> None:
        self._do("".join(f"DELETE FROM {table};" for table in SQLITE_TABLES))

    async def kept(self) -> Sequence[str]:
        return [table for table in SQLITE_TABLES[:4] if self._do(f"SELECT 1 FROM {table}")]

    def _do(self, statements: str) -> Sequence[object]:
        connection = apsw.Connection(str(self.path))
        connection.set_busy_timeout(5000)
        try:
            return connection.execute(statements).fetchall()
        finally:
            connection.close()


class RedisGround:
    """An app's name for each life, on the server that all share."""

    outlasts_its_clock = True

    def __init__(self) -> None:
        self._app = f"machine-{uuid4().hex}"

    async def clear(self) -> None:
        await self.wipe()
        self._app = f"machine-{uuid4().hex}"

    async def open(self, now: Callable[[], float]) -> LaneStore:
        lanes = RedisLanes(read_address(redis_url(), "lanes"), self._app, DEADLINE, now)
        await lanes.open()
        return lanes

    async def wipe(self) -> None:
        async with operator() as client:
            if keys := [key async for key in client.scan_iter(self._pattern, count=1000)]:
                await client.delete(*keys)

    async def kept(self) -> Sequence[str]:
        async with operator() as client:
            return await lasting_keys(client, self._pattern)

    @property
    def _pattern(self) -> str:
        return f"{{{self._app}}}:*"


class PostgresGround:
    """An app for each life, in the database that all share, or in another one."""

    outlasts_its_clock = False

    def __init__(self, url: str | None = None, deadline: float = DEADLINE) -> None:
        self._url = url
        self._deadline = deadline
        self._app = ""

    async def clear(self) -> None:
        if self._app:
            await self.wipe()
        self._app = f"machine-{uuid4().hex}"

    async def open(self, now: Callable[[], float]) -> LaneStore:
        return await open_on_postgres(on_postgres(self._app, self._url, publish_deadline=self._deadline), now)

    async def wipe(self) -> None:
        async with postgres_operator(self._url) as connection:
            for table in POSTGRES_TABLES:
                await connection.execute(f"DELETE FROM goatherd.{table} WHERE app = %s".encode(), (self._app,))

    async def kept(self) -> Sequence[str]:
        """A lane whose numbers alone are kept until the clock is past them is as good as forgotten."""
        found = []
        async with postgres_operator(self._url) as connection:
            for table in POSTGRES_TABLES[:4]:
                condition = " AND condition <> 'empty'" if table == "lane_head" else ""
                query = f"SELECT * FROM goatherd.{table} WHERE app = %s{condition}"
                cursor = await connection.execute(query.encode(), (self._app,))
                found += [f"{table}: {row}" for row in await cursor.fetchall()]
        return found
