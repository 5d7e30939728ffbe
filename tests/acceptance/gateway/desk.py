"""A gateway as a user starts it, a store, and those who watch."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.model.stream_token import sign
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import Author, by_platform, queued
from goatherd.wiring import open_events
from scripts.servers.ports import free_ports
from tests.acceptance.cli.stage import PATIENCE, Running, Stage
from tests.unit.web.reader import Reader

SECRET = "a secret of the stories"


class Watching:
    """One who watches a job, until he is sent away or it ends."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self.reader = Reader()
        self._pieces = response.aiter_raw()

    async def until(self, holds: Callable[[Reader], object]) -> Reader:
        async with asyncio.timeout(PATIENCE):
            while not holds(self.reader):
                self.reader.feed(await anext(self._pieces))
        return self.reader

    async def told(self, event: str) -> Reader:
        return await self.until(lambda reader: event in reader.events)

    async def over(self) -> Reader:
        async with asyncio.timeout(PATIENCE):
            async for piece in self._pieces:
                self.reader.feed(piece)
        return self.reader


class Desk:
    """One story's gateway."""

    def __init__(self, stage: Stage, settings: Settings) -> None:
        self.stage = stage
        self.settings = settings
        [self.port] = free_ports(1)
        self.client = httpx2.AsyncClient(timeout=PATIENCE)
        self.events: Events
        self.gateway: Running

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Desk"]:
        self.events = await open_events(self.settings, SystemClock())
        try:
            yield self
        finally:
            await self.client.aclose()
            await self.events.close()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "GOATHERD_BROKER_URL": self.settings.broker_url,
            "GOATHERD_EVENTS_URL": self.settings.event_store,
            "GOATHERD_RECORDS_URL": self.settings.record_store,
            "GOATHERD_EVENT_PREFIX": self.settings.event_prefix or "shop",
            "GOATHERD_SECRET": SECRET,
            "GOATHERD_GATEWAY_KEEPALIVE": "0.5",
            "GOATHERD_GATEWAY_DRAIN": "0.5",
        }

    def start(self, *arguments: str, **environment: str) -> Running:
        """Start the gateway; it serves when this returns."""
        command = ("gateway", "shop:app", "--port", str(self.port), *arguments)
        self.gateway = self.stage.start(*command, **self.environment | environment)
        self.gateway.hear("Streams at")
        return self.gateway

    async def job(self) -> Author:
        """A job whose first attempt has begun."""
        await by_platform(self.events, job := new_id(), queued())
        author = Author(self.events, job)
        await author.start()
        return author

    def url(self, job: str) -> str:
        return f"http://127.0.0.1:{self.port}/api/v1/shop/{job}/events"

    def token(self, job: str) -> str:
        return sign(SECRET, "shop", job, "ada", time.time() + 900)

    async def get(self, job: str, **query: Any) -> httpx2.Response:
        """Ask for what is answered in one piece."""
        return await self.client.get(self.url(job), params={"token": self.token(job), **query})

    @asynccontextmanager
    async def watching(self, job: str, last_id: str | None = None, **query: Any) -> AsyncIterator[Watching]:
        """Watch a job."""
        headers = {"authorization": f"Bearer {self.token(job)}", **({"last-event-id": last_id} if last_id else {})}
        async with self.client.stream("GET", self.url(job), params=query, headers=headers) as response:
            yield Watching(response)
