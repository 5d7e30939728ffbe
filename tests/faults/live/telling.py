"""How an attempt tells its watchers, in the system under test and in those it is compared with."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

import msgspec

from goatherd.engine.emitter import Emitter
from goatherd.engine.emitters import Emitters, Habits
from goatherd.errors import Unavailable
from goatherd.model.event import Done, Retrying
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.telemetry import Silent
from goatherd.wiring import open_events
from tests.faults.live.script import Mark, Script

#: Seconds within which the store must answer whoever writes; it may be dead for some of them.
PUBLISH_DEADLINE = 3.0


class Attempt(Protocol):
    """One attempt that is followed."""

    @property
    def over(self) -> bool:
        """Whether it has been told that nobody listens to it any more."""

    async def say(self, script: Script, mark: Mark) -> None:
        """The next thing."""

    async def fail(self) -> None:
        """It will be tried again; returns when that is known."""

    async def end(self, result: str) -> None:
        """The job is done; returns when that is known."""


class Teller(Protocol):
    """Begins attempts."""

    async def begin(self, job: str, attempt: int) -> Attempt | None:
        """None if the job has ended."""


class GoatherdAttempt:
    """Satisfies `Attempt` by Goatherd's own emitter."""

    def __init__(self, emitters: Emitters, emitter: Emitter) -> None:
        self._emitters = emitters
        self._emitter = emitter

    @property
    def over(self) -> bool:
        return self._emitter.over is not None

    async def say(self, script: Script, mark: Mark) -> None:
        if script.is_stage(mark.number):
            self._emitter.progress(script.stage(mark), script.percent(mark), "running", {"number": mark.number})
        else:
            self._emitter.token(script.piece(mark), "")
        await self._emitter.room()

    async def fail(self) -> None:
        attempt, now = self._emitter.attempt, self._emitters.now()
        self._emitter.tell(Retrying(attempt=attempt, at=now, error="ValueError", delay=0))
        await self._emitter.written()

    async def end(self, result: str) -> None:
        attempt, now = self._emitter.attempt, self._emitters.now()
        told = msgspec.Raw(json.dumps(result).encode())
        # Not by the worker's own way, by which the end of a job counts even if it is told by an attempt that is over.
        self._emitter.tell(Done(attempt=attempt, at=now, result=told))
        await self._emitter.written()


class GoatherdTeller:
    """Satisfies `Teller`."""

    def __init__(self, events: Events, window: float) -> None:
        async def opened() -> Events:
            return events

        self._emitters = Emitters(opened, SystemClock(), Silent(), Habits(prefix="chaos", window=window, ttl=3600.0))

    async def begin(self, job: str, attempt: int) -> GoatherdAttempt | None:
        begun = await self._emitters.begin(job, attempt)
        return GoatherdAttempt(self._emitters, begun) if isinstance(begun, Emitter) else None


@asynccontextmanager
async def goatherd_events(url: str, live_url: str | None = None) -> AsyncIterator[Events]:
    settings = Settings(
        broker_url="sqlite:///unused.db", default_queue="chaos", app="chaos", events_url=url, live_url=live_url,
        publish_deadline=PUBLISH_DEADLINE,
    )  # fmt: skip
    while True:
        try:
            events = await open_events(settings, SystemClock())
        except Unavailable:
            await asyncio.sleep(0.1)
        else:
            break
    try:
        yield events
    finally:
        await events.close()


@asynccontextmanager
async def goatherd_teller(url: str, window: float) -> AsyncIterator[Teller]:
    async with goatherd_events(url, os.environ.get("GOATHERD_LIVE_URL")) as events:
        yield GoatherdTeller(events, window)
