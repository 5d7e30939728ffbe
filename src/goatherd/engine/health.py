"""Gather how this process and its queues are."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import cast

from goatherd.engine.alerts.watch import AlertWatch
from goatherd.engine.flushes import Flusher
from goatherd.engine.intake import Intake
from goatherd.engine.listeners import Listeners
from goatherd.engine.meter import Meter
from goatherd.engine.probes import Probes, Question
from goatherd.engine.router import Router
from goatherd.engine.ticker import Ticker
from goatherd.model.health import Health, LinkState, QueueHealth
from goatherd.model.topology import QueueState
from goatherd.ports.broker import Broker, QueueOperations

#: Seconds that a store may take to answer before it counts as down; less than those who ask for health wait.
DEADLINE = 3.0


@dataclass(frozen=True, kw_only=True)
class BrokerLook:
    """The broker of an open app, and who asks it."""

    broker: Broker
    operations: QueueOperations
    #: The queue for answers to this process.
    reply_queue: str | None
    probes: Probes


def with_listeners(health: Health, hearing: Sequence[Listeners]) -> Health:
    """The same with what is wrong with listeners.

    One queue in quarantine is told, but is no reason to take a process for unready that serves thousands; one that does
    not know yet what it should listen to is not ready.
    """
    reasons = [reason for each in hearing for reason in each.reasons]
    if not reasons:
        return health
    ready = health.ready and not any(each.deaf for each in hearing)
    return replace(health, ready=ready, reasons=[*health.reasons, *reasons])


def with_inboxes(health: Health, intakes: Sequence[Intake]) -> Health:
    """The same with inboxes that are not heard; a process that a source refuses for good is not ready."""
    reasons = [f"inbox {each.inbox}: {each.trouble}" for each in intakes if each.trouble is not None]
    if not reasons:
        return health
    ready = health.ready and not any(each.refused for each in intakes)
    return replace(health, ready=ready, reasons=[*health.reasons, *reasons])


def with_scheduler(health: Health, ticker: Ticker | None, flushers: Sequence[Flusher]) -> Health:
    """The same with what a scheduler cannot do now; it is done as soon as it can be, so the process is ready."""
    reasons = [] if ticker is None or ticker.trouble is None else [f"schedules: {ticker.trouble}"]
    reasons += [f"tally {each.tally}: {each.trouble}" for each in flushers if each.trouble is not None]
    return replace(health, reasons=[*health.reasons, *reasons])


def with_alerts(health: Health, watches: Sequence[AlertWatch]) -> Health:
    """The same with those who cannot be told of alerts; they are told later, so the process is ready."""
    troubles = [(sink, why) for each in watches for sink, why in each.troubles.items() if why is not None]
    return replace(health, reasons=[*health.reasons, *(f"alerts: {sink}: {why}" for sink, why in troubles)])


def with_routers(health: Health, routers: Sequence[Router]) -> Health:
    """The same with a live server that is away: its watchers look for themselves, so the process is ready."""
    if not any(router.cannot_relay for router in routers):
        return health
    told = "live: the server that calls watchers is away; they look for themselves"
    return replace(health, ports={**health.ports, "live": "down"}, reasons=[*health.reasons, told])


async def gather_health(look_at: BrokerLook, others: Iterable[Question], meter: Meter) -> Health:
    """Ask the stores; one that does not answer makes the process unready, with the reason."""
    broker, operations, own = look_at.broker, look_at.operations, look_at.reply_queue

    async def look() -> Sequence[QueueState]:
        return await operations.queues([own] if own else ())

    asked = [Question(port="broker", about="queues", ask=look), *others]
    first, *rest = await look_at.probes.ask(asked, DEADLINE)
    states: dict[str, LinkState] = {"broker": broker.state if first.trouble is None else "down"}
    reasons = [f"{each.port}: {each.trouble}" for each in (first, *rest) if each.trouble is not None]
    if states["broker"] != "up" and first.trouble is None:
        reasons.insert(0, f"broker: {states['broker']}")
    for each in rest:
        if each.trouble is not None:
            states[each.port] = "down"
        states.setdefault(each.port, "up")
    queues = cast("Sequence[QueueState]", first.told or ())
    replaced = [
        f"queue {queue.name}: it is being replaced; nothing is taken from it until then"
        for queue in queues
        if queue.replaced
    ]
    return Health(
        # What waits for a queue to be replaced is as well as what waits for an operator who paused one.
        ready=not reasons,
        # Several questions to one store may have met the same trouble.
        reasons=[*dict.fromkeys(reasons), *replaced],
        ports=states,
        queues={queue.name: _health_of(queue, meter) for queue in queues},
        loop_alive=True,
        last_heartbeat=datetime.now(UTC),
    )


def _health_of(queue: QueueState, meter: Meter) -> QueueHealth:
    return QueueHealth(
        depth=queue.ready + (queue.delayed or 0),
        consumers=queue.consumers,
        oldest_age=queue.oldest_age,
        published_per_second=meter.sending[queue.name].per_second(),
        acked_per_second=meter.ending[queue.name].per_second(),
    )
