"""What a delivery is settled by."""

import asyncio

from goatherd.adapters.rabbitmq.acks import Acks
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.wire import nack_frame


class Handle:
    """The adapter's handle of a delivery; of no effect once its channel is gone."""

    __slots__ = ("acks", "channel", "slot", "tag")

    def __init__(self, acks: Acks, channel: Channel, tag: int) -> None:
        self.acks = acks
        self.channel = channel
        self.tag = tag
        #: Where it is noted as running.
        self.slot: int | None = None

    def follow(self, other: "Handle") -> None:
        """Settle from now on what another handle stands for."""
        self.acks, self.channel, self.tag = other.acks, other.channel, other.tag

    def ack(self) -> None:
        """Settle it with the other acks of this turn of the loop."""
        if self.channel.failed is None and self.acks.ack(self.tag):
            asyncio.get_running_loop().call_soon(self.acks.flush)

    def hand_back(self) -> None:
        """Put it back to the front of its queue."""
        if self.channel.failed is None:
            self.acks.forget(self.tag)
            self.channel.send(nack_frame(self.channel.number, self.tag, requeue=True))
