"""The line between a worker and its broker: cut, and the worker is heard no more."""

from collections.abc import Callable, Sequence

from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Broker, Consumption, Deliver, Subscription
from goatherd.ports.calls import Courier, Receipt, Replies
from goatherd.testing.passage import Passage


class Lifeline(Passage):
    """After `cut` nothing passes any more, in either direction, as for a process that died."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker)
        self._cut = False
        #: Deliveries that the worker has not settled yet.
        self.unsettled = 0

    @property
    def is_cut(self) -> bool:
        """Whether nothing passes any more."""
        return self._cut

    def cut(self) -> None:
        """Let nothing pass from now on."""
        self._cut = True

    async def consume(self, queue: str, prefetch: int, deliver: Deliver, *, shared: bool = False) -> Consumption:
        def pass_on(deliveries: Sequence[Delivery]) -> None:
            self.unsettled += len(deliveries)
            if not self._cut:
                deliver(deliveries)

        return await super().consume(queue, prefetch, pass_on, shared=shared)

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


class LifelineCourier:
    """Carries a worker's answers for as long as it lives; satisfies `Courier`."""

    def __init__(self, courier: Courier, lifeline: Lifeline) -> None:
        self._courier = courier
        self._lifeline = lifeline

    def post(self, message: Message, receipt: Receipt) -> None:
        if not self._lifeline.is_cut:
            self._courier.post(message, receipt)

    def call_off(self, queue: str, job_id: str) -> None:
        self._courier.call_off(queue, job_id)

    async def hear_call_offs(self, queues: Sequence[str], called_off: Callable[[str], None]) -> Subscription:
        return await self._courier.hear_call_offs(queues, called_off)

    async def listen_for_replies(self, deliver: Deliver, *, exclusive: bool) -> Replies:
        return await self._courier.listen_for_replies(deliver, exclusive=exclusive)
