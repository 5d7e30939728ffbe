"""Names of one's own on the server that all share, and what only Redis's adapter must say."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
import redis.asyncio

from goatherd.model.settings import Settings
from scripts.servers.addresses import redis_url


@asynccontextmanager
async def operator(url: str | None = None) -> AsyncIterator["redis.asyncio.Redis[Any]"]:
    """A client of another make."""
    async with redis.asyncio.Redis.from_url(url or redis_url(), decode_responses=True) as client:
        yield client


async def lasting_keys(client: "redis.asyncio.Redis[Any]", pattern: str = "*") -> list[str]:
    """Keys that would be kept for ever."""
    return [key async for key in client.scan_iter(pattern) if await client.pttl(key) == -1]


class RedisStore:
    """Each case has a prefix of its own; afterwards no key of it may be one that lasts."""

    url = staticmethod(redis_url)

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        prefix = f"suite-{uuid4().hex}"
        yield prefix
        async with operator(self.url()) as client:
            assert await lasting_keys(client, f"{prefix}:*") == [], "these would be kept for ever"
            assert await lasting_keys(client, "router:*") == [], "these would be kept for ever"
            await self.wipe(prefix)

    async def wipe(self, store: str) -> None:
        async with operator(self.url()) as client:
            if keys := [key async for key in client.scan_iter(f"{store}:*")]:
                await client.delete(*keys)

    def settings(self, store: str, **more: Any) -> Settings:
        return Settings(
            broker_url="sqlite:///unused.db", default_queue="suite", events_url=self.url(), event_prefix=store,
            live_prefix=f"{store}:live", **more,
        )  # fmt: skip
