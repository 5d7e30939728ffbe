"""What Goatherd's own link needs for what the C program does, by the same command line; nothing of the engine runs.

python -m benchmarks.rabbitmq_bare.link URL QUEUE quorum|classic publish|consume|ping COUNT WINDOW
"""

import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from benchmarks.rabbitmq.promises import QueueType
from goatherd import Goatherd
from goatherd.model.ids import new_id
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Broker

#: As large as in the C program.
BODY = b"x" * 256
#: Messages for one call, of which two are always on their way.
BATCH = 1000

Answer: TypeAlias = dict[str, Any]


async def publish(broker: Broker, queue: str, count: int, window: int) -> Answer:
    """Confirmed publishes, always with some on their way."""
    left = iter(range(0, count, BATCH))

    async def publish_batches() -> None:
        for first in left:
            await broker.publish([_message(queue) for _ in range(min(BATCH, count - first))])

    began = _now()
    await asyncio.gather(*(publish_batches() for _ in range(max(1, window // BATCH))))
    return _took(began)


async def consume(broker: Broker, queue: str, count: int, window: int) -> Answer:
    """Deliveries that are acked as they come."""
    left = count
    done = asyncio.Event()

    def deliver(deliveries: Sequence[Delivery]) -> None:
        nonlocal left
        for delivery in deliveries:
            broker.ack(delivery)
        left -= len(deliveries)
        if left <= 0:
            done.set()

    began = _now()
    subscription = await broker.consume(queue, window, deliver)
    await done.wait()
    told = _took(began)
    await subscription.stop()
    return told


async def ping(broker: Broker, queue: str, count: int, window: int) -> Answer:
    """One message at a time with rests between them: from its publish to its delivery."""
    arrived = asyncio.Event()
    latencies: list[float] = []

    def deliver(deliveries: Sequence[Delivery]) -> None:
        latencies.append((time.perf_counter() - began) * 1000)
        for delivery in deliveries:
            broker.ack(delivery)
        arrived.set()

    subscription = await broker.consume(queue, window, deliver)
    for _ in range(count):
        arrived.clear()
        began = time.perf_counter()
        await broker.publish([_message(queue)])
        await arrived.wait()
        await asyncio.sleep(random.uniform(0.01, 0.03))
    await subscription.stop()
    return {"latencies": latencies}


STEPS: dict[str, Callable[[Broker, str, int, int], Awaitable[Answer]]] = {
    "publish": publish,
    "consume": consume,
    "ping": ping,
}


async def take(url: str, queue: str, queue_type: str, step: str, count: int, window: int) -> Answer:
    """Connect, take one step, and tell what it took."""
    kind: QueueType = "quorum" if queue_type == "quorum" else "classic"
    app = Goatherd("bare", broker_url=url, default_queue=queue, queue_type=kind)

    @app.task
    async def nothing() -> None:
        """Makes the app declare its queue."""

    async with app:
        return await STEPS[step](app.session().ports.broker, queue, count, window)


def _message(queue: str) -> Message:
    return Message(id=new_id(), queue=queue, body=BODY)


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _took(began: tuple[float, float]) -> Answer:
    return {"seconds": time.perf_counter() - began[0], "cpu_seconds": time.process_time() - began[1]}


if __name__ == "__main__":
    url, queue, queue_type, step, count, window = sys.argv[1:]
    print(json.dumps(asyncio.run(take(url, queue, queue_type, step, int(count), int(window)))))
