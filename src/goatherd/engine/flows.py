"""What a worker takes from beside its broker: lanes, and the records of pipelines."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from goatherd.engine.admission import Admitted
from goatherd.engine.lane_entry import LaneEntry
from goatherd.engine.lane_work import LaneWork
from goatherd.engine.sources import Sources
from goatherd.engine.step_work import StepWork
from goatherd.model.message import Delivery
from goatherd.ports.broker import Deliver, Source, Subscription


@dataclass(frozen=True, kw_only=True)
class Flows:
    """Those of one worker; most have none."""

    lanes: LaneWork | None = None
    steps: StepWork | None = None

    def with_broker(self, broker: Source) -> Source:
        """Where deliveries are settled, wherever they came from."""
        if self.lanes is None and self.steps is None:
            return broker
        lanes = None if self.lanes is None else self.lanes.source
        return Sources(broker, lanes, None if self.steps is None else self.steps.source)

    async def start(
        self, deliver: Deliver, room: Callable[[], int], lost: Callable[[Delivery], None]
    ) -> list[Subscription]:
        """Begin to take, as many as there is room for; `lost` is told of those that others may have now."""
        begun: list[Subscription] = []
        if self.lanes is not None:
            begun.append(await self.lanes.source.start(deliver, room, lost))
        if self.steps is not None:
            begun.append(await self.steps.source.start(deliver, room, lost))
            self.steps.conductor.look_for_yourself()
        return begun

    async def close(self, deadline: float) -> None:
        """Tell the stores what became of all that was taken."""
        if self.lanes is not None:
            await self.lanes.source.close(deadline)
        if self.steps is not None:
            await self.steps.source.close(deadline)

    def nudge(self) -> None:
        """There may be room for more."""
        if self.lanes is not None:
            self.lanes.source.nudge()
        if self.steps is not None:
            self.steps.source.nudge()

    def sort_out(self, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
        """Keep messages that are only hints, and give back all others."""
        return deliveries if self.steps is None else self.steps.source.sort_out(deliveries)

    def call_off(self, job_id: str) -> None:
        """A job or a run was cancelled."""
        if self.steps is not None:
            self.steps.source.call_off(job_id)

    def entry_for(self, delivery: Delivery, admitted: Admitted) -> LaneEntry | None:
        """The way into its lane, for a job that has one and came by the broker."""
        if self.lanes is None or not self.lanes.entry.concerns(delivery, admitted):
            return None
        return self.lanes.entry


NO_FLOWS = Flows()
