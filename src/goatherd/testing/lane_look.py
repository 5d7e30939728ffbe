"""A test's own look at the lanes."""

from collections.abc import Sequence

from goatherd.model.ids import new_id
from goatherd.model.lane import Exchange, Exchanged, Hold, LaneState
from goatherd.ports.clock import Clock, Timer
from goatherd.wiring import OpenLanes

#: Lanes that are looked at, to tell what moves.
ENOUGH = 20


class LaneLook:
    """Sees what moves in the lanes, and when something will."""

    def __init__(self, opened: OpenLanes, clock: Clock) -> None:
        self._opened = opened
        self._clock = clock
        self._name = f"test {new_id()}"
        self._number = 0
        self._alarm: Timer | None = None

    async def moving(self, limit: int = ENOUGH) -> list[LaneState]:
        """Lanes whose heads may be done now, or are being done."""
        find = self._opened.operations.find
        return [*await find(condition="running", limit=limit), *await find(condition="ready", limit=limit)]

    async def at_rest(self) -> bool:
        """Whether nothing moves, nor would if somebody looked; if so, the clock knows when something will."""
        if await self.moving(1):
            return False
        seen = await self._let_time_pass()
        if seen.letters or seen.next_due == 0 or await self.moving(1):
            return False
        self._set_alarm(seen.next_due)
        return True

    async def end_leases(self, holds: Sequence[Hold]) -> None:
        """Let leases run out now: others may have those lanes, and each counts one death."""
        if holds:
            await self._opened.lanes.beat(holds, 0.0)
            await self._let_time_pass()

    def forget(self) -> None:
        """Wait for nothing any more."""
        if self._alarm is not None:
            self._alarm.cancel()

    async def _let_time_pass(self) -> Exchanged:
        self._number += 1
        return await self._opened.lanes.exchange(Exchange(worker=self._name, number=self._number))

    def _set_alarm(self, next_due: float | None) -> None:
        """Workers have alarms of their own, but only while they work."""
        self.forget()
        if next_due is not None:
            self._alarm = self._clock.call_at(self._clock.now() + next_due, _nothing)


def _nothing() -> None:
    """The clock stops at that moment, which is all."""
