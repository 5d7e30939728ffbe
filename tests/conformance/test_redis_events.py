"""The suite of the events on Redis."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
import redis.asyncio

from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.testing.suites import EventsSuite
from goatherd.wiring import open_events
from scripts.servers.addresses import redis_url


@asynccontextmanager
async def operator() -> AsyncIterator["redis.asyncio.Redis[Any]"]:
    """A client of another make."""
    async with redis.asyncio.Redis.from_url(redis_url(), decode_responses=True) as client:
        yield client


# One after the other: `cut_off` hangs up on all who listen.
@pytest.mark.xdist_group("redis")
@pytest.mark.servers("redis")
class TestRedisEvents(EventsSuite):
    """Each case has names of its own on the server that all share."""

    @pytest.fixture
    async def store(self) -> AsyncIterator[str]:
        prefix = f"suite-{uuid4().hex}"
        yield prefix
        async with operator() as client:
            keys = [key async for key in client.scan_iter(f"{prefix}:*")]
            assert [key for key in keys if await client.pttl(key) < 0] == [], "these would be kept for ever"
            if keys:
                await client.delete(*keys)

    async def open(self, store: str, ttl: float = 3600.0) -> Events:
        settings = Settings(
            broker_url="sqlite:///unused.db", default_queue="suite", events_url=redis_url(), event_prefix=store,
            live_prefix=f"{store}:live", event_ttl=ttl,
        )  # fmt: skip
        return await open_events(settings, SystemClock())

    async def wipe(self, store: str) -> None:
        async with operator() as client:
            await client.delete(*[key async for key in client.scan_iter(f"{store}:*")])

    async def cut_off(self, store: str) -> None:
        """Hang up, from the server's side, on everyone who listens."""
        async with operator() as client:
            await client.client_kill_filter(_type="pubsub")
