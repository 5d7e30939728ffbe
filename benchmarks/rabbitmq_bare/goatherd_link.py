"""Goatherd's own link, as the engine uses it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contender import Client, Promise
from benchmarks.rabbitmq.promises import QueueType, promise

PROMISE = promise("acks of what came together in one frame")


@dataclass(frozen=True, kw_only=True)
class LinkClient:
    """The broker port on RabbitMQ without the engine."""

    queue_type: QueueType
    label: str = "goatherd's link"
    package: str = "goatherd"
    promise: Promise = PROMISE

    def program(self, folder: Path) -> Sequence[str]:
        return [sys.executable, "-m", "benchmarks.rabbitmq_bare.link"]


CONTENDER: Client = LinkClient(queue_type="quorum")
ON_CLASSIC_QUEUES: Client = LinkClient(queue_type="classic")
