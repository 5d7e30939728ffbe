"""What the settings say about a RabbitMQ broker."""

from dataclasses import dataclass, field
from typing import Literal

from goatherd.adapters.rabbitmq.topology import Declare, QueueType
from goatherd.model.blueprint import Blueprint


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """For one app."""

    app: str
    declare: Declare = "create"
    queue_type: QueueType = "quorum"
    connections: Literal["split", "shared"] = "split"
    publish_deadline: float = 10.0
    #: Seconds after which the broker takes back what is not acked; None if it was not said.
    consumer_timeout: float | None = None
    #: What the virtual host must have besides the queues that are declared; made with them where that is wished.
    besides: Blueprint = field(default_factory=Blueprint)
