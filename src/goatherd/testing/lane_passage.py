"""Lanes that pass everything on to others, for those who want to see or stop something on the way."""

from collections.abc import Sequence

from goatherd.model.lane import Exchange, Exchanged, Hold, LaneItem, LaneLetter, Placement
from goatherd.model.statement import InLane, IntoLane
from goatherd.ports.broker import Subscription
from goatherd.ports.lanes import Lanes, WakeUp


class LanePassage:
    """Satisfies `Lanes`."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes

    async def enqueue(self, sender: str, number: int, items: Sequence[LaneItem]) -> Sequence[Placement]:
        return await self._lanes.enqueue(sender, number, items)

    async def exchange(self, exchange: Exchange) -> Exchanged:
        return await self._lanes.exchange(exchange)

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        return await self._lanes.beat(holds, lease)

    async def watch(self, queues: Sequence[str], wake: WakeUp) -> Subscription:
        return await self._lanes.watch(queues, wake)

    async def letters(self, limit: int) -> Sequence[LaneLetter]:
        return await self._lanes.letters(limit)

    async def remove_letters(self, ids: Sequence[str]) -> None:
        await self._lanes.remove_letters(ids)

    def within(self, hold: Hold) -> InLane | None:
        return self._lanes.within(hold)

    def entry_within(self, items: Sequence[LaneItem]) -> IntoLane | None:
        return self._lanes.entry_within(items)

    def ring(self, queues: Sequence[str]) -> None:
        self._lanes.ring(queues)

    async def close(self) -> None:
        await self._lanes.close()
