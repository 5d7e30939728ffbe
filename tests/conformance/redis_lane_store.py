"""Lanes of an app of one's own, on the Redis that all share or on another."""

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any
from uuid import uuid4

import pytest

from goatherd.adapters.redis.lane_names import PARTS, LaneNames
from goatherd.adapters.redis.lanes import RedisLanes
from goatherd.adapters.redis.opening import open_lanes
from goatherd.model.settings import Settings
from scripts.servers.addresses import redis_url
from tests.conformance.redis_store import lasting_keys, operator


def lane_settings(url: str, app: str, **more: Any) -> Settings:
    """Where the lanes of an app are."""
    return Settings(broker_url="sqlite:///unused.db", default_queue="suite", lanes_url=url, app=app, **more)


async def keys_of(url: str, app: str) -> set[str]:
    """All that an app has there, by the part of the name that is not the app's."""
    async with operator(url) as client:
        prefix = f"{{{app}}}:lanes:1:"
        return {key.removeprefix(prefix) async for key in client.scan_iter(f"{{{app}}}:*", count=1000)}


class RedisLaneStore:
    """Each case has an app of its own; afterwards no key of it may last but those that hold jobs."""

    url = staticmethod(redis_url)

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        app = f"suite-{uuid4().hex}"
        yield app
        async with operator(self.url()) as client:
            lasting = await lasting_keys(client, f"{{{app}}}:*")
            assert set(lasting) <= set(LaneNames(app).all), "these would be kept for ever"
        await self.wipe(app)

    async def open(self, store: str, now: Callable[[], float] | None = None) -> RedisLanes:
        return await open_lanes(lane_settings(self.url(), store), now)

    async def wipe(self, store: str) -> None:
        async with operator(self.url()) as client:
            if keys := [key async for key in client.scan_iter(f"{{{store}}}:*")]:
                await client.delete(*keys)

    async def kept(self, store: str) -> Sequence[str]:
        return sorted(await keys_of(self.url(), store) & set(PARTS) - {"mark"})
