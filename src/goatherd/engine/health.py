"""Gather how this process and its queues are."""

import asyncio
from datetime import UTC, datetime

from goatherd.engine.meter import Meter
from goatherd.errors import Unavailable
from goatherd.model.health import Health, QueueHealth
from goatherd.ports.broker import Broker, QueueOperations

#: Seconds that a store may take to answer before it counts as down.
DEADLINE = 5.0


async def gather_health(broker: Broker, operations: QueueOperations, meter: Meter, reply_queue: str | None) -> Health:
    """Ask the stores; one that does not answer makes the process unready, with the reason."""
    reasons: list[str] = []
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
    except TimeoutError:
        state = "down"
        reasons.append(f"broker: no answer within {DEADLINE:g} s")
    except Unavailable as error:
        state = "down"
        reasons.append(f"broker: {error}")
    if state != "up" and not reasons:
        reasons.append(f"broker: {state}")
    return Health(
        ready=not reasons,
        reasons=reasons,
        ports={"broker": state},
        queues=queues,
        loop_alive=True,
        last_heartbeat=datetime.now(UTC),
    )
