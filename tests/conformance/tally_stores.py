"""Tallies of an app of one's own, on every store of lanes."""

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import pytest

from goatherd.adapters.postgres.opening import open_tallies as open_on_postgres
from goatherd.adapters.redis.lane_names import LaneNames
from goatherd.adapters.redis.opening import open_tallies as open_on_redis
from goatherd.adapters.sqlite import opening
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.tallies import Tallies
from goatherd.testing.suites.lane_store import LaneStore
from goatherd.wiring.recurring import open_tallies
from tests.conformance import postgres_store, redis_lane_store
from tests.conformance.redis_store import lasting_keys, operator
from tests.conformance.test_sqlite_lanes import GivenClock, SqliteLaneStore

TABLES = ("tally_key", "tally_id")


class SqliteTallyStore:
    """A file for each case; each client has a connection of its own, as in another process."""

    _lanes = SqliteLaneStore()

    @pytest.fixture
    def store(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return tmp_path_factory.mktemp("t") / "jobs.db"

    async def open(self, store: Path, now: Callable[[], float] | None = None) -> Tallies:
        settings = Settings(broker_url=f"sqlite:///{store}", default_queue="suite")
        with patch.object(opening, "FILES", opening.Files()):
            return await open_tallies(settings, SystemClock() if now is None else GivenClock(now))

    async def open_lanes(self, store: Path, now: Callable[[], float] | None = None) -> LaneStore:
        with patch.object(opening, "FILES", opening.Files()):
            return await self._lanes.open(store, now)

    async def wipe(self, store: Path) -> None:
        await self._lanes.wipe(store)
        self._lanes._do(store, "; ".join(f"DELETE FROM {table}" for table in ("tally", *TABLES)))

    async def kept(self, store: Path) -> Sequence[str]:
        return [table for table in TABLES if self._lanes._do(store, f"SELECT 1 FROM {table}")]


class RedisTallyStore:
    """Each case has an app of its own; of a tally only its state lasts."""

    _lanes = redis_lane_store.RedisLaneStore()

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        async with operator(self._lanes.url()) as client:
            lasting = set(await lasting_keys(client, f"{{{app}}}:*")) - set(LaneNames(app).all)
            parts = {key.rpartition(":")[2] for key in lasting}
            assert parts <= {"counters", "above", "state", "batches", "sealed"}, "these would be kept for ever"
        await self._lanes.wipe(app)

    async def open(self, store: str, now: Callable[[], float] | None = None) -> Tallies:
        return await open_on_redis(redis_lane_store.lane_settings(self._lanes.url(), store), now)

    async def open_lanes(self, store: str, now: Callable[[], float] | None = None) -> LaneStore:
        return await self._lanes.open(store, now)

    async def wipe(self, store: str) -> None:
        await self._lanes.wipe(store)

    async def kept(self, store: str) -> Sequence[str]:
        async with operator(self._lanes.url()) as client:
            found = [key async for key in client.scan_iter(f"{{{store}}}:tallies:*", count=1000)]
            # Ids expire by themselves, by the server's own clock.
            return [key for key in found if not key.endswith(":state") and await client.pttl(key) == -1]


class PostgresTallyStore:
    """Each case has an app of its own."""

    _lanes = postgres_store.PostgresLaneStore()

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        await self.wipe(app)

    async def open(self, store: str, now: Callable[[], float] | None = None) -> Tallies:
        return await open_on_postgres(postgres_store.settings(store), now)

    async def open_lanes(self, store: str, now: Callable[[], float] | None = None) -> LaneStore:
        return await self._lanes.open(store, now)

    async def wipe(self, store: str) -> None:
        await self._lanes.wipe(store)
        async with postgres_store.operator() as connection:
            for table in ("tally", *TABLES):
                await connection.execute(f"DELETE FROM goatherd.{table} WHERE app = %s".encode(), (store,))

    async def kept(self, store: str) -> Sequence[str]:
        async with postgres_store.operator() as connection:
            found = []
            for table in TABLES:
                cursor = await connection.execute(f"SELECT 1 FROM goatherd.{table} WHERE app = %s".encode(), (store,))
                found += [table] if await cursor.fetchone() else []
            return found
