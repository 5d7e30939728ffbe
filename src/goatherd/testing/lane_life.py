"""The lanes of one worker in a test: what it has of them, and how it loses it."""

import asyncio

from goatherd.engine.admission import Admitted
from goatherd.engine.lane_source import Held, LaneSource
from goatherd.model.lane import Hold, LaneState
from goatherd.model.message import Delivery
from goatherd.ports.clock import Clock
from goatherd.testing.lane_lifeline import LaneLifeline
from goatherd.testing.lane_look import LaneLook
from goatherd.testing.latecomers import Code, Latecomers
from goatherd.wiring import OpenLanes


class LaneLife:
    """Lives as long as its worker."""

    def __init__(self, opened: OpenLanes, clock: Clock) -> None:
        #: What the worker sees of the lanes.
        self.line = LaneLifeline(opened.lanes)
        #: The worker's claims, from the moment when it begins to take.
        self.source: LaneSource | None = None
        self._look = LaneLook(opened, clock)
        self._latecomers = Latecomers()
        self._void: set[Hold] = set()

    # --- what a test plans ------------------------------------------------------------------------

    async def lose(self, admitted: Admitted, code: Code | None) -> None:
        """Let the lease of an attempt run out as its code begins: it is stopped here, and goes on later."""
        assert admitted.ticket is not None, "only jobs from lanes have leases"
        assert self.source is not None, "and they come from here"
        fence = admitted.ticket.fence
        hold = Hold(lane=fence.key, token=fence.token, seq=fence.seq)
        self._void.add(hold)
        if code is not None:
            self._latecomers.add(admitted.work.job_id, code)
        await self._look.end_leases([hold])
        await self.source.beat()
        # The worker has noticed, and stops it here.
        await asyncio.get_running_loop().create_future()

    def is_void(self, delivery: Delivery) -> bool:
        """Whether its lane was taken from it, so that nothing that comes of it counts."""
        return isinstance(delivery.tag, Held) and delivery.tag.claim.hold in self._void

    def repeat(self, delivery: Delivery) -> bool:
        """Let it come once more after it is done; false if it is not from a lane."""
        if not isinstance(delivery.tag, Held):
            return False
        self.line.repeat(delivery.tag.claim.hold)
        return True

    # --- rest -------------------------------------------------------------------------------------

    async def at_rest(self) -> bool:
        """Whether nothing moves in the lanes; then the clock knows when something will."""
        return await self._look.at_rest()

    async def moving(self) -> list[LaneState]:
        """Lanes that are worked on or wait for it."""
        return await self._look.moving()

    async def let_late_one_go(self) -> bool:
        """Let an attempt go on that has lost its lane; false if there is none."""
        return await self._latecomers.let_one_go()

    def stand_still(self) -> None:
        """The worker takes no more for now, and nobody goes on."""
        self._latecomers.forget()

    def rest(self) -> None:
        """Wait for nothing any more."""
        self._look.forget()

    # --- death ------------------------------------------------------------------------------------

    @property
    def has_more_to_say(self) -> bool:
        """Whether something that the worker has settled is still on its way."""
        return self.source is not None and self.source.untold > 0

    async def bury(self) -> None:
        """The worker is gone: its leases run out, which is one death for each lane that it had."""
        await self._look.end_leases(list(self.line.holds))
        self._look.forget()
