"""From the broker's URL to what an open app speaks to."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

from goatherd.errors import MissingExtra
from goatherd.model.app_topology import Topology
from goatherd.model.settings import Settings
from goatherd.ports.broker import Broker, QueueOperations
from goatherd.ports.calls import Courier
from goatherd.ports.clock import Clock
from goatherd.ports.dead_letters import DeadLetters
from goatherd.ports.inflow import QueueInflow
from goatherd.ports.plumbing import Plumbing
from goatherd.ports.records import QueueControls, StoreChecks, WorkerRecords
from goatherd.wiring.ordering import OpenLanes, open_lanes
from goatherd.wiring.plumbing import inflow_of, plumbing_on
from goatherd.wiring.records import OpenSteps, open_steps


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
    #: Opens the records of pipelines, which are there only for apps that have some.
    open_steps: Callable[[], Awaitable[OpenSteps]]
    #: Idempotent, also after `vanish`.
    close: Callable[[], Awaitable[None]]
    #: Let go of everything as after `kill -9`.
    vanish: Callable[[], Awaitable[None]]
    #: Whether jobs of users' transactions are sent at once: in a test there is no database to write them to.
    ignores_transactions: bool = False
    #: What the broker has; None where there is nothing that others could change.
    plumbing: Plumbing | None = None
    #: How much has come into queues; None where the age of what waits is told.
    inflow: QueueInflow | None = None


async def open_ports(settings: Settings, clock: Clock, topology: Topology | None = None) -> Ports:
    """Open what the settings name; raises Unavailable, SettingsError or MissingExtra.

    `topology` is what the broker must have besides the queues that are declared.
    """
    # Drivers are imported when they are needed, so that a program pays only for what it uses.
    if settings.broker_url.startswith("sqlite:"):
        return await _open_sqlite(settings, clock)
    return await _open_rabbitmq(settings, clock, topology or Topology())


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
        open_steps=partial(open_steps, settings, clock),
        close=close,
        vanish=vanish,
    )


async def _open_rabbitmq(settings: Settings, clock: Clock, topology: Topology) -> Ports:
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.broker import RabbitBroker
        from goatherd.adapters.rabbitmq.wishes import Wishes
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
        besides=topology.blueprint(address.virtual_host),
    )
    broker = RabbitBroker(address, wishes)
    plumbing = plumbing_on(settings, address, broker.asking)
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
        open_steps=partial(open_steps, settings, clock),
        close=broker.close,
        vanish=broker.vanish,
        plumbing=plumbing,
        inflow=inflow_of(settings, address),
    )
