"""Deliveries of one worker from the broker, from lanes and from pipelines, each settled where it came from."""

from collections.abc import Sequence

from goatherd.engine.held_unit import HeldUnit
from goatherd.engine.lane_source import Held, LaneSource
from goatherd.engine.step_source import StepSource
from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Holder, Source


class Sources:
    """Satisfies `Source`. What becomes of a pipeline's unit is said by its tag, not here."""

    def __init__(self, broker: Source, lanes: LaneSource | None = None, steps: StepSource | None = None) -> None:
        self._broker = broker
        self._lanes = lanes
        self._steps = steps

    def is_lost(self, delivery: Delivery) -> bool:
        return self._holder(delivery).is_lost(delivery)

    def begin(self, delivery: Delivery) -> None:
        self._holder(delivery).begin(delivery)

    def end(self, delivery: Delivery) -> None:
        self._holder(delivery).end(delivery)

    def ack(self, delivery: Delivery) -> None:
        self._of(delivery).ack(delivery)

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        for holder in (self._broker, self._lanes, self._steps):
            theirs = [delivery for delivery in deliveries if self._holder(delivery) is holder]
            if theirs and holder is not None:
                await holder.hand_back(theirs)

    async def replace(self, delivery: Delivery, message: Message) -> None:
        await self._of(delivery).replace(delivery, message)

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        await self._of(delivery).bury(delivery, burial)

    def _holder(self, delivery: Delivery) -> Holder:
        if self._steps is not None and isinstance(delivery.tag, HeldUnit):
            return self._steps
        return self._of(delivery)

    def _of(self, delivery: Delivery) -> Source:
        return self._lanes if self._lanes is not None and isinstance(delivery.tag, Held) else self._broker
