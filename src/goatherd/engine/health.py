"""Gather how this process and its queues are."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from goatherd.engine.flushes import Flusher
from goatherd.engine.intake import Intake
from goatherd.engine.listeners import Listeners
from goatherd.engine.meter import Meter
from goatherd.engine.ticker import Ticker
from goatherd.errors import Unavailable
from goatherd.model.health import Health, QueueHealth
from goatherd.ports.broker import Broker, QueueOperations

#: Seconds that a store may take to answer before it counts as down.
DEADLINE = 5.0


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


async def gather_health(broker: Broker, operations: QueueOperations, meter: Meter, reply_queue: str | None) -> Health:
    """Ask the stores; one that does not answer makes the process unready, with the reason."""
    reasons: list[str] = []
    replaced: list[str] = []
    queues: dict[str, QueueHealth] = {}
    state = broker.state
    try:
        async with asyncio.timeout(DEADLINE):
            for queue in await operations.queues([reply_queue] if reply_queue else ()):
                queues[queue.name] = QueueHealth(
                    depth=queue.ready + (queue.delayed or 0),
                    consumers=queue.consumers,
                    oldest_age=queue.oldest_age,
                    published_per_second=meter.sending[queue.name].per_second(),
                    acked_per_second=meter.ending[queue.name].per_second(),
                )
                if queue.replaced:
                    replaced.append(f"queue {queue.name}: it is being replaced; nothing is taken from it until then")
    except TimeoutError:
        state = "down"
        reasons.append(f"broker: no answer within {DEADLINE:g} s")
    except Unavailable as error:
        state = "down"
        reasons.append(f"broker: {error}")
    if state != "up" and not reasons:
        reasons.append(f"broker: {state}")
    return Health(
        # What waits for a queue to be replaced is as well as what waits for an operator who paused one.
        ready=not reasons,
        reasons=[*reasons, *replaced],
        ports={"broker": state},
        queues=queues,
        loop_alive=True,
        last_heartbeat=datetime.now(UTC),
    )
