"""A broker that passes everything on to another, for those who want to see or stop something on the way."""

from collections.abc import Iterable, Sequence

from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.model.topology import Queue
from goatherd.ports.broker import Broker, Consumption, Deliver, LinkState


class Passage:
    """Satisfies `Broker`."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker

    @property
    def state(self) -> LinkState:
        return self._broker.state

    async def declare(self, queues: Iterable[Queue]) -> None:
        await self._broker.declare(queues)

    async def publish(self, messages: Sequence[Message]) -> None:
        await self._broker.publish(messages)

    async def consume(self, queue: str, prefetch: int, deliver: Deliver, *, shared: bool = False) -> Consumption:
        return await self._broker.consume(queue, prefetch, deliver, shared=shared)

    def is_lost(self, delivery: Delivery) -> bool:
        return self._broker.is_lost(delivery)

    def begin(self, delivery: Delivery) -> None:
        self._broker.begin(delivery)

    def end(self, delivery: Delivery) -> None:
        self._broker.end(delivery)

    def ack(self, delivery: Delivery) -> None:
        self._broker.ack(delivery)

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        await self._broker.hand_back(deliveries)

    async def replace(self, delivery: Delivery, message: Message) -> None:
        await self._broker.replace(delivery, message)

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        await self._broker.bury(delivery, burial)

    async def close(self) -> None:
        await self._broker.close()
