"""Where the gateway takes a job's events from: the app's own session where it is open, else stores of its own.

A gateway needs the events and nothing else: with the broker away, whoever watches a job can go on watching.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from dataclasses import dataclass

from goatherd.app import Goatherd
from goatherd.engine.subscriptions import Subscriptions
from goatherd.errors import NotOpen
from goatherd.model.job_record import JobRecord
from goatherd.ports.events import Events
from goatherd.ports.records import JobHistory
from goatherd.ports.tracer import Tracer
from goatherd.wiring import open_events, open_history

log = logging.getLogger("goatherd.gateway")


@dataclass(frozen=True, kw_only=True)
class Source:
    """The events of one app."""

    events: Events
    subscriptions: Subscriptions
    #: What begins spans; None where nobody wants traces.
    tracer: Tracer | None = None


class Sources:
    """The sources of several apps, opened when they are first asked for, on the loop that asks."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._own: dict[str, Source] = {}
        #: What was followed last by each app's name, also where the app is open itself.
        self._followed: dict[str, Subscriptions] = {}
        #: Opened when they are first asked for: many a gateway never is.
        self._histories: dict[str, asyncio.Task[JobHistory]] = {}
        self._holders: list[AsyncGenerator[Source | JobHistory, None]] = []

    @property
    def jobs(self) -> int:
        """Jobs that are watched."""
        return sum(subscriptions.jobs for subscriptions in self._followed.values())

    async def of(self, app: Goatherd) -> Source:
        """The source of an app; raises Unavailable, SettingsError or MissingExtra."""
        source = self._own.get(app.name) or await self._found(app)
        self._followed[app.name] = source.subscriptions
        return source

    async def _found(self, app: Goatherd) -> Source:
        try:
            session = app.session()
        except NotOpen:
            return await self._open(app)
        tracer = session.means.tracer
        return Source(events=await session.events(), subscriptions=await session.subscriptions(), tracer=tracer)

    async def record(self, app: Goatherd, job_id: str) -> JobRecord | None:
        """What the history says of a job whose events are gone; raises Unavailable, SettingsError or MissingExtra."""
        return await (await self._history_of(app)).find(job_id)

    async def close(self) -> None:
        """Let go of everything that was opened here."""
        self._own.clear()
        self._followed.clear()
        histories = [*self._histories.values()]
        self._histories.clear()
        for opening in histories:
            opening.cancel()
        await asyncio.gather(*histories, return_exceptions=True)
        while self._holders:
            await self._holders.pop().aclose()

    async def _history_of(self, app: Goatherd) -> JobHistory:
        opening = self._histories.get(app.name)
        if opening is None or (opening.done() and (opening.cancelled() or opening.exception())):
            opening = asyncio.create_task(self._open_history(app), name=f"goatherd history of {app.name}")
            self._histories[app.name] = opening
        # All who ask meanwhile wait for the same, and are told together if it fails; whoever leaves leaves alone.
        return await asyncio.shield(opening)

    async def _open_history(self, app: Goatherd) -> JobHistory:
        holder = _held_history(app)
        history = await anext(holder)
        self._holders.append(holder)
        return history

    async def _open(self, app: Goatherd) -> Source:
        async with self._opening:
            if app.name not in self._own:
                # Held open by a generator, which the loop closes when it ends: a server that we are mounted in does
                # not tell us when that is.
                holder = _held(app)
                self._own[app.name] = await anext(holder)
                self._holders.append(holder)
            return self._own[app.name]


async def _held(app: Goatherd) -> AsyncGenerator[Source, None]:
    settings = app.settings
    if settings.event_store_is_local:
        log.warning(
            "The broker is on the network, but tracked jobs are noted in the file of %s, which other machines do not "
            "see; set GOATHERD_EVENTS_URL=redis://…",
            settings.event_store,
        )
    async with AsyncExitStack() as life:
        events = await open_events(settings, app.clock)
        life.push_async_callback(events.close)
        look_after, buffer = settings.gateway_state_timeout, settings.gateway_buffer
        subscriptions = Subscriptions(events, app.clock, look_after=look_after, buffer=buffer)
        life.push_async_callback(subscriptions.close)
        yield Source(events=events, subscriptions=subscriptions, tracer=app.tracer())


async def _held_history(app: Goatherd) -> AsyncGenerator[JobHistory, None]:
    settings = app.settings
    if settings.record_store_is_local:
        log.warning(
            "The broker is on the network, but what became of jobs is looked for in the file of %s, which other "
            "machines do not see; set GOATHERD_RECORDS_URL=postgresql://…",
            settings.record_store,
        )
    history = await open_history(settings, app.clock)
    try:
        yield history
    finally:
        await history.close()
