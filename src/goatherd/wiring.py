"""The only file that knows adapters: from a URL to opened ports."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module

from goatherd.errors import MissingExtra
from goatherd.model.readings import Readings
from goatherd.model.settings import Settings
from goatherd.ports.broker import Broker, QueueOperations
from goatherd.ports.calls import Courier
from goatherd.ports.clock import Clock
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.events import Events
from goatherd.ports.records import QueueControls, StoreChecks, WorkerRecords


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
    #: Idempotent, also after `vanish`.
    close: Callable[[], Awaitable[None]]
    #: Let go of everything as after `kill -9`.
    vanish: Callable[[], Awaitable[None]]


async def open_ports(settings: Settings, clock: Clock) -> Ports:
    """Open what the settings name; raises Unavailable, SettingsError or MissingExtra."""
    # Drivers are imported when they are needed, so that a program pays only for what it uses.
    if settings.broker_url.startswith("sqlite:"):
        return await _open_sqlite(settings, clock)
    return await _open_rabbitmq(settings)


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
        close=close,
        vanish=vanish,
    )


async def _open_rabbitmq(settings: Settings) -> Ports:
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
        close=broker.close,
        vanish=broker.vanish,
    )


async def open_events(settings: Settings, clock: Clock) -> Events:
    """Open what keeps the events of tracked jobs; raises Unavailable, SettingsError or MissingExtra."""
    if settings.event_store.startswith("sqlite:"):
        return await _open_sqlite_events(settings, clock)
    return await _open_redis_events(settings)


async def _open_sqlite_events(settings: Settings, clock: Clock) -> Events:
    from goatherd.adapters.sqlite.events import SqliteEvents
    from goatherd.adapters.sqlite.opening import FILES, path_of

    # A file that the broker has open is shared with it.
    files = FILES
    database = await asyncio.to_thread(files.take, path_of(settings.event_store))

    async def give_back() -> None:
        await asyncio.to_thread(files.give_back, database)

    return SqliteEvents(
        database, clock, ttl=settings.event_ttl, deadline=settings.publish_deadline, give_back=give_back
    )


async def _open_redis_events(settings: Settings) -> Events:
    try:
        # The driver is large, and a loop that already serves must not stand still while it is loaded.
        await asyncio.to_thread(import_module, "goatherd.adapters.redis.events")
        from goatherd.adapters.redis.address import read_address
        from goatherd.adapters.redis.events import RedisEvents, Terms
    except ImportError as error:
        raise MissingExtra("An events_url with redis://", "redis") from error

    terms = Terms(
        prefix=settings.event_prefix or settings.app,
        live_prefix=settings.live_prefix,
        ttl=settings.event_ttl,
        deadline=settings.publish_deadline,
    )
    events = RedisEvents(read_address(settings.event_store), terms)
    await events.open()
    return events


def metrics_text(readings: Readings) -> str:
    """Counts as Prometheus text; raises MissingExtra."""
    try:
        from goatherd.adapters.prometheus import render
    except ImportError as error:
        raise MissingExtra("Metrics in Prometheus text", "prometheus") from error
    return render(readings)
