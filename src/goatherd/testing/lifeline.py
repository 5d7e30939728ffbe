"""The line between a worker and its broker: cut, and the worker is heard no more."""

from collections.abc import Sequence

from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Broker, Deliver, Subscription
from goatherd.testing.passage import Passage


class Lifeline(Passage):
    """After `cut` nothing passes any more, in either direction, as for a process that died."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self._cut = False
        #: Deliveries that the worker has not settled yet.
        self.unsettled = 0

    def cut(self) -> None:
        """Let nothing pass from now on."""
        self._cut = True

    async def consume(self, queue: str, prefetch: int, deliver: Deliver) -> Subscription:
        def pass_on(deliveries: Sequence[Delivery]) -> None:
            self.unsettled += len(deliveries)
            if not self._cut:
                deliver(deliveries)

        return await super().consume(queue, prefetch, pass_on)

    def begin(self, delivery: Delivery) -> None:
        if not self._cut:
            super().begin(delivery)

    def end(self, delivery: Delivery) -> None:
        if not self._cut:
            super().end(delivery)

    def ack(self, delivery: Delivery) -> None:
        if not self._cut:
            super().ack(delivery)
            self.unsettled -= 1

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        if not self._cut:
            await super().hand_back(deliveries)
            self.unsettled -= len(deliveries)

    async def replace(self, delivery: Delivery, message: Message) -> None:
        if not self._cut:
            await super().replace(delivery, message)
            self.unsettled -= 1

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        if not self._cut:
            await super().bury(delivery, burial)
            self.unsettled -= 1
