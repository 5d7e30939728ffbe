"""The line between a worker and the records of pipelines: cut, and it gets no more; severed, and nobody hears it."""

from collections.abc import Sequence

import msgspec

from goatherd.engine.conductor import CONDUCTOR
from goatherd.model.run_record import Turn, UnitClaim, UnitExchange, UnitExchanged, UnitHold
from goatherd.ports.steps import Steps
from goatherd.testing.step_passage import StepPassage


class StepLifeline(StepPassage):
    """Knows what the worker has, and whether anything moves."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(steps)
        self._cut = False
        self._severed = False
        #: Whether nobody tells of steps now, because the herd rests.
        self.resting = True
        #: Grows whenever something moves.
        self.moves = 0
        #: What the worker has claimed and not settled.
        self.holds: set[UnitHold] = set()

    def cut(self) -> None:
        """The worker is dead: it claims nothing more, but what it said before may arrive."""
        self._cut = True

    def sever(self) -> None:
        """Nothing of it arrives any more."""
        self._severed = True

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Sequence[Turn]:
        if self._cut or self.resting:
            return ()
        turns = await super().take(pipelines, limit, again_after)
        self.moves += len(turns)
        return turns

    async def reap(self, limit: int) -> int:
        if self._cut or self.resting:
            return 0
        reaped = await super().reap(limit)
        self.moves += reaped
        return reaped

    async def exchange(self, exchange: UnitExchange) -> UnitExchanged:
        none_settled, none_decided = [False for _ in exchange.settled], [False for _ in exchange.decided]
        nothing = UnitExchanged(
            settled=none_settled, decided=none_decided, claims=["taken" for _ in exchange.wanted]
        )  # fmt: skip
        if self._severed:
            return nothing
        self.moves += 1
        asked = msgspec.structs.replace(exchange, wanted=()) if self._cut else exchange
        answer = await super().exchange(asked)
        self.holds.difference_update(settlement.hold for settlement in exchange.settled)
        if not exchange.worker.startswith(CONDUCTOR):
            # What is done abroad goes on there, whoever dies here.
            self.holds.update(claim.hold for claim in answer.claims if isinstance(claim, UnitClaim))
        return msgspec.structs.replace(answer, claims=nothing.claims) if self._cut else answer

    async def beat(self, holds: Sequence[UnitHold], lease: float) -> Sequence[bool]:
        if self._severed:
            return [True for _ in holds]
        return await super().beat(holds, lease)
