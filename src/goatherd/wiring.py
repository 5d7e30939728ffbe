"""The only file that knows adapters: from a URL to opened ports."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from goatherd.engine.router import Router, RouterManners, RouterPorts
from goatherd.errors import MissingExtra, SettingsError
from goatherd.model.readings import Readings
from goatherd.model.routing import RouterReadings
from goatherd.model.settings import Settings
from goatherd.ports.broker import Broker, QueueOperations
from goatherd.ports.calls import Courier
from goatherd.ports.clock import Clock
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.events import Events
from goatherd.ports.feed import Feed
from goatherd.ports.lanes import LaneOperations, Lanes
from goatherd.ports.migrations import Migrations
from goatherd.ports.records import JobHistory, QueueControls, StoreChecks, WorkerRecords
from goatherd.ports.relay import Relay

if TYPE_CHECKING:
    from goatherd.adapters.sqlite.database import Database


@dataclass(frozen=True, kw_only=True)
class OpenLanes:
    """The store of lanes, as workers and as operators see it."""

    lanes: Lanes
    operations: LaneOperations


@dataclass(frozen=True, kw_only=True)
class Ports:
    """Everything that an open app speaks to."""

    broker: Broker
    courier: Courier
    operations: QueueOperations
    dead_letters: DeadLetters
    controls: QueueControls
    workers: WorkerRecords
    checks: StoreChecks
    #: Opens the store of lanes, which is there only for apps that have keyed tasks.
    open_lanes: Callable[[], Awaitable[OpenLanes]]
    #: Idempotent, also after `vanish`.
    close: Callable[[], Awaitable[None]]
    #: Let go of everything as after `kill -9`.
    vanish: Callable[[], Awaitable[None]]


async def open_ports(settings: Settings, clock: Clock) -> Ports:
    """Open what the settings name; raises Unavailable, SettingsError or MissingExtra."""
    # Drivers are imported when they are needed, so that a program pays only for what it uses.
    if settings.broker_url.startswith("sqlite:"):
        return await _open_sqlite(settings, clock)
    return await _open_rabbitmq(settings, clock)


async def _open_sqlite(settings: Settings, clock: Clock) -> Ports:
    from goatherd.adapters.sqlite.broker import SqliteBroker
    from goatherd.adapters.sqlite.dead_letters import SqliteDeadLetters
    from goatherd.adapters.sqlite.opening import FILES, path_of
    from goatherd.adapters.sqlite.records import SqliteRecords

    database = await asyncio.to_thread(FILES.take, path_of(settings.broker_url))
    broker = SqliteBroker(database, clock, lease=settings.lease, publish_deadline=settings.publish_deadline)
    records = SqliteRecords(database)

    taken = [database]

    async def give_back() -> None:
        # Others may use the file too, so each user gives it back once, however often it is closed.
        while taken:
            await asyncio.to_thread(FILES.give_back, taken.pop())

    async def close() -> None:
        try:
            await broker.close()
        finally:
            await give_back()

    async def vanish() -> None:
        await broker.vanish()
        await give_back()

    return Ports(
        broker=broker,
        courier=broker,
        operations=broker,
        dead_letters=SqliteDeadLetters(database, clock),
        controls=records,
        workers=records,
        checks=records,
        open_lanes=partial(open_lanes, settings, clock),
        close=close,
        vanish=vanish,
    )


async def _open_rabbitmq(settings: Settings, clock: Clock) -> Ports:
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.broker import RabbitBroker, Wishes
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error

    address = read_address(settings.broker_url)
    wishes = Wishes(
        app=settings.app,
        declare=settings.declare,
        queue_type=settings.queue_type,
        connections=settings.connections,
        publish_deadline=settings.publish_deadline,
        consumer_timeout=settings.consumer_timeout,
    )
    broker = RabbitBroker(address, wishes)
    await broker.open()
    return Ports(
        broker=broker,
        courier=broker,
        operations=broker,
        dead_letters=broker.dead_letters,
        controls=broker.records,
        workers=broker.records,
        checks=broker.records,
        open_lanes=partial(open_lanes, settings, clock),
        close=broker.close,
        vanish=broker.vanish,
    )


async def open_events(settings: Settings, clock: Clock) -> Events:
    """Open what keeps the events of tracked jobs; raises Unavailable, SettingsError or MissingExtra."""
    if settings.event_store.startswith("sqlite:"):
        return await _open_sqlite_events(settings, clock)
    await _load_redis()
    from goatherd.adapters.redis import opening

    return await opening.open_events(settings)


async def open_lanes(settings: Settings, clock: Clock) -> OpenLanes:
    """Open what keeps keyed jobs in order; raises Unavailable, SettingsError or MissingExtra."""
    url = settings.lane_store
    if url.startswith("sqlite:"):
        from goatherd.adapters.sqlite.lanes import SqliteLanes

        database, give_back = await _take_file(url)
        in_file = SqliteLanes(database, clock, deadline=settings.publish_deadline, give_back=give_back)
        return OpenLanes(lanes=in_file, operations=in_file)
    if url.startswith("redis"):
        await _load("redis", "A lanes_url with redis://")
        from goatherd.adapters.redis import opening

        on_redis = await opening.open_lanes(settings)
        return OpenLanes(lanes=on_redis, operations=on_redis)
    await _load("postgres", "A lanes_url with postgresql://")
    from goatherd.adapters.postgres import opening as postgres

    in_database = await postgres.open_lanes(settings)
    return OpenLanes(lanes=in_database, operations=in_database)


def find_migrations(settings: Settings) -> Sequence[Migrations]:
    """One for each database that the settings name; raises SettingsError or MissingExtra."""
    if not any(url.startswith("postgres") for url in (settings.lane_store, settings.record_store)):
        return ()
    try:
        from goatherd.adapters.postgres import opening
    except ImportError as error:
        raise MissingExtra("A URL with postgresql://", "postgres") from error
    return opening.find_migrations(settings)


async def open_feed(settings: Settings, clock: Clock) -> Feed:
    """Open what gives events to routers; raises the same."""
    if settings.event_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.feed import SqliteFeed

        database, give_back = await _take_file(settings.event_store)
        return SqliteFeed(database, clock, deadline=settings.publish_deadline, give_back=give_back)
    await _load_redis()
    from goatherd.adapters.redis import opening

    return await opening.open_feed(settings)


async def open_relay(settings: Settings) -> Relay | None:
    """Open how routers tell watchers on another server; None if the server of the events does; raises the same."""
    if settings.event_store.startswith("sqlite:"):
        return None
    await _load_redis()
    from goatherd.adapters.redis import opening

    return await opening.open_relay(settings)


async def open_history(settings: Settings, clock: Clock) -> JobHistory:
    """Open what remembers tracked jobs whose events are gone; raises the same."""
    if settings.record_store.startswith("sqlite:"):
        from goatherd.adapters.sqlite.history import SqliteHistory

        database, give_back = await _take_file(settings.record_store)
        return SqliteHistory(database, deadline=settings.publish_deadline, give_back=give_back)
    await _load("postgres", "A records_url with postgresql://")
    from goatherd.adapters.postgres import opening

    return await opening.open_history(settings)


async def open_router(settings: Settings, clock: Clock) -> Router:
    """A router with ports of its own, which it closes when it is stopped; raises the same."""
    async with AsyncExitStack() as life:
        feed = await open_feed(settings, clock)
        life.push_async_callback(feed.close)
        events = await open_events(settings, clock)
        life.push_async_callback(events.close)
        history = await open_history(settings, clock)
        life.push_async_callback(history.close)
        relay = await open_relay(settings)
        if relay is not None:
            life.push_async_callback(relay.close)
        manners = RouterManners(
            batch=settings.router_batch,
            block=settings.router_block,
            reclaim_idle=settings.router_reclaim_idle,
            history_days=settings.history_days,
        )
        close = life.pop_all().aclose
        ports = RouterPorts(feed=feed, events=events, history=history, relay=relay, close=close)
        return Router(ports, clock, manners)


async def _open_sqlite_events(settings: Settings, clock: Clock) -> Events:
    from goatherd.adapters.sqlite.events import SqliteEvents

    if settings.live_url is not None:
        told = "live_url names a server that calls watchers, but the events are in a file; set events_url to a Redis"
        raise SettingsError([told])
    database, give_back = await _take_file(settings.event_store)
    return SqliteEvents(
        database, clock, ttl=settings.event_ttl, deadline=settings.publish_deadline, give_back=give_back
    )


async def _take_file(url: str) -> tuple["Database", Callable[[], Awaitable[None]]]:
    """A file, which is shared with all who have it open in this process, and how it is given back."""
    from goatherd.adapters.sqlite.opening import FILES, path_of

    files = FILES
    database = await asyncio.to_thread(files.take, path_of(url))

    async def give_back() -> None:
        await asyncio.to_thread(files.give_back, database)

    return database, give_back


async def _load_redis() -> None:
    await _load("redis", "An events_url with redis://")


async def _load(extra: str, what: str) -> None:
    """Import an adapter; raises MissingExtra."""
    try:
        # Drivers are large, and a loop that already serves must not stand still while one is loaded.
        await asyncio.to_thread(import_module, f"goatherd.adapters.{extra}.opening")
    except ImportError as error:
        raise MissingExtra(what, extra) from error


def metrics_text(readings: Readings) -> str:
    """Counts as Prometheus text; raises MissingExtra."""
    try:
        from goatherd.adapters.prometheus import render
    except ImportError as error:
        raise MissingExtra("Metrics in Prometheus text", "prometheus") from error
    return render(readings)


def router_metrics_text(readings: RouterReadings) -> str:
    """What a router has counted, as Prometheus text; raises MissingExtra."""
    try:
        from goatherd.adapters.prometheus import render_router
    except ImportError as error:
        raise MissingExtra("Metrics in Prometheus text", "prometheus") from error
    return render_router(readings)
