"""From URLs to what work needs that begins by itself; opened at first use."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TypeVar

from goatherd.model.settings import Settings
from goatherd.ports.clock import Clock
from goatherd.ports.inbox import InboxRecords
from goatherd.ports.listeners import ListenerRecords
from goatherd.ports.schedules import ScheduleOperations, Schedules
from goatherd.ports.tallies import Tallies
from goatherd.wiring.loading import load, take_file

log = logging.getLogger("goatherd.scheduler")

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class OpenSchedules:
    """The records of schedules, as schedulers and as operators see them."""

    schedules: Schedules
    operations: ScheduleOperations


class RecurringRecords:
    """Of one open app."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._opening = asyncio.Lock()
        self._life = AsyncExitStack()
        self._schedules: OpenSchedules | None = None
        self._tallies: Tallies | None = None
        self._inbox: InboxRecords | None = None
        self._listeners: ListenerRecords | None = None

    @property
    def have_schedules(self) -> bool:
        """Whether anybody has asked for schedules."""
        return self._schedules is not None

    @property
    def have_tallies(self) -> bool:
        """Whether anybody has asked for tallies."""
        return self._tallies is not None

    async def schedules(self) -> OpenSchedules:
        """When schedules are due, and what has fired."""
        async with self._opening:
            if self._schedules is None:
                self._warn_if_local("when schedules are due")
                self._schedules = await open_schedules(self._settings, self._clock)
                self._life.push_async_callback(self._schedules.schedules.close)
            return self._schedules

    async def tallies(self) -> Tallies:
        """Counters by key."""
        async with self._opening:
            if self._tallies is None:
                self._tallies = await self._opened(open_tallies)
                self._life.push_async_callback(self._tallies.close)
            return self._tallies

    async def inbox(self) -> InboxRecords:
        """Commands from outside."""
        async with self._opening:
            if self._inbox is None:
                self._warn_if_local("which commands are done")
                self._inbox = await self._opened(open_inbox)
                self._life.push_async_callback(self._inbox.close)
            return self._inbox

    async def listeners(self) -> ListenerRecords:
        """How listeners stand."""
        async with self._opening:
            if self._listeners is None:
                self._listeners = await self._opened(open_listener_records)
                self._life.push_async_callback(self._listeners.close)
            return self._listeners

    async def close(self) -> None:
        """Let go of what was opened."""
        await self._life.aclose()

    async def _opened(self, opener: Callable[[Settings, Clock], Awaitable[_T]]) -> _T:
        return await opener(self._settings, self._clock)

    def _warn_if_local(self, what: str) -> None:
        if self._settings.record_store_is_local:
            log.warning(
                "The broker is on the network, but %s is noted in the file of %s, which other machines do not see; set "
                "GOATHERD_RECORDS_URL=postgresql://…",
                what,
                self._settings.record_store,
            )


async def open_schedules(settings: Settings, clock: Clock) -> OpenSchedules:
    """Open what keeps schedules; raises Unavailable, SettingsError or MissingExtra."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.schedules import SqliteSchedules

        database, give_back = await take_file(settings.record_store)
        in_file = SqliteSchedules(database, clock, deadline=settings.publish_deadline, give_back=give_back)
        return OpenSchedules(schedules=in_file, operations=in_file)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    in_database = await opening.open_schedules(settings)
    return OpenSchedules(schedules=in_database, operations=in_database)


async def open_tallies(settings: Settings, clock: Clock) -> Tallies:
    """Open the counters, which are with the lanes; raises the same."""
    url = settings.lane_store
    if url.startswith("sqlite:"):
        from goatherd.adapters.sqlite.tallies import SqliteTallies

        database, give_back = await take_file(url)
        return SqliteTallies(database, clock, deadline=settings.publish_deadline, give_back=give_back)
    if url.startswith("redis"):
        await load("redis", "A lanes_url with redis://")
        from goatherd.adapters.redis import opening

        return await opening.open_tallies(settings)
    await load("postgres", "A lanes_url with postgresql://")
    from goatherd.adapters.postgres import opening as postgres

    return await postgres.open_tallies(settings)


async def open_inbox(settings: Settings, clock: Clock) -> InboxRecords:
    """Open what keeps commands; raises the same."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.inbox import SqliteInbox

        database, give_back = await take_file(settings.record_store)
        return SqliteInbox(database, clock, deadline=settings.publish_deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_inbox(settings)


async def open_listener_records(settings: Settings, clock: Clock) -> ListenerRecords:
    """Open what tells how listeners stand; raises the same."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.listener_records import SqliteListenerRecords

        database, give_back = await take_file(settings.record_store)
        return SqliteListenerRecords(database, clock, deadline=settings.publish_deadline, give_back=give_back)
    await load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_listener_records(settings)
