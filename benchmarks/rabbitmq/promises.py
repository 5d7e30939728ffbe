"""What every contender on RabbitMQ promises: the setting is the same for all."""

from typing import Literal, TypeAlias

from benchmarks.contender import Promise

QueueType: TypeAlias = Literal["quorum", "classic"]


def promise(note: str) -> Promise:
    """Persistent messages in a durable queue, sent when the broker has confirmed them, acked after the run."""
    return Promise(delivery="at least once", synced=True, note=note)


def queue_arguments(queue_type: QueueType) -> dict[str, str]:
    """How a queue of that type is asked for."""
    return {"x-queue-type": queue_type}
