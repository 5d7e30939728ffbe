"""The line between a worker and its lanes: cut, and the worker gets no more; severed, and it is heard no more."""

from collections.abc import Sequence

import msgspec

from goatherd.model.lane import Commit, Exchange, Exchanged, Hold, Release, Settlement
from goatherd.ports.lanes import Lanes
from goatherd.testing.lane_passage import LanePassage


class LaneLifeline(LanePassage):
    """Knows what the worker has, and lets it have some of it twice."""

    def __init__(self, lanes: Lanes) -> None:
        super().__init__(lanes)
        self._cut = False
        self._severed = False
        #: What the worker has claimed and not settled.
        self.holds: set[Hold] = set()
        #: Heads that come once more after they are done.
        self._repeated: set[Hold] = set()

    def repeat(self, hold: Hold) -> None:
        """Let the word that it is done be lost, as in a store that has forgotten its latest writes."""
        self._repeated.add(hold)

    def cut(self) -> None:
        """The worker is dead: it claims nothing more, but what it said before may arrive."""
        self._cut = True

    def sever(self) -> None:
        """Nothing of it arrives any more."""
        self._severed = True

    async def exchange(self, exchange: Exchange) -> Exchanged:
        if self._severed:
            return Exchanged(settled=[False for _ in exchange.settled])
        told = [self._as_planned(settlement) for settlement in exchange.settled]
        wanted = 0 if self._cut else exchange.wanted
        answer = await super().exchange(msgspec.structs.replace(exchange, settled=told, wanted=wanted))
        self.holds.difference_update(settlement.hold for settlement in told)
        self.holds.update(claim.hold for claim in answer.claims)
        return msgspec.structs.replace(answer, claims=()) if self._cut else answer

    async def beat(self, holds: Sequence[Hold], lease: float) -> Sequence[bool]:
        if self._severed:
            return [True for _ in holds]
        return await super().beat(holds, lease)

    def _as_planned(self, settlement: Settlement) -> Settlement:
        if isinstance(settlement, Commit) and settlement.hold in self._repeated:
            self._repeated.discard(settlement.hold)
            return Release(hold=settlement.hold)
        return settlement
