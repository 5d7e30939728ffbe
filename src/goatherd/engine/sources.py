"""Deliveries of one worker that come from the broker and from lanes, each settled where it came from."""

from collections.abc import Sequence

from goatherd.engine.lane_source import Held, LaneSource
from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Source


class Sources:
    """Satisfies `Source`."""

    def __init__(self, broker: Source, lanes: LaneSource) -> None:
        self._broker = broker
        self._lanes = lanes

    def is_lost(self, delivery: Delivery) -> bool:
        return self._of(delivery).is_lost(delivery)

    def begin(self, delivery: Delivery) -> None:
        self._of(delivery).begin(delivery)

    def end(self, delivery: Delivery) -> None:
        self._of(delivery).end(delivery)

    def ack(self, delivery: Delivery) -> None:
        self._of(delivery).ack(delivery)

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        for source in (self._broker, self._lanes):
            theirs = [delivery for delivery in deliveries if self._of(delivery) is source]
            if theirs:
                await source.hand_back(theirs)

    async def replace(self, delivery: Delivery, message: Message) -> None:
        await self._of(delivery).replace(delivery, message)

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        await self._of(delivery).bury(delivery, burial)

    def _of(self, delivery: Delivery) -> Source:
        return self._lanes if isinstance(delivery.tag, Held) else self._broker
