"""Records of pipelines that pass everything on to others, for those who want to see or stop something on the way."""

from collections.abc import Sequence

from goatherd.model.run_record import (
    EndedRun,
    NewRun,
    RunLetter,
    Turn,
    UnitExchange,
    UnitExchanged,
    UnitHold,
    UnitKey,
)
from goatherd.model.statement import Statement
from goatherd.ports.steps import Steps


class StepPassage:
    """Satisfies `Steps`."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    async def begin(self, runs: Sequence[NewRun]) -> Sequence[bool]:
        return await self._steps.begin(runs)

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Sequence[Turn]:
        return await self._steps.take(pipelines, limit, again_after)

    async def postpone(self, keys: Sequence[UnitKey], seconds: float) -> None:
        await self._steps.postpone(keys, seconds)

    async def exchange(self, exchange: UnitExchange) -> UnitExchanged:
        return await self._steps.exchange(exchange)

    async def beat(self, holds: Sequence[UnitHold], lease: float) -> Sequence[bool]:
        return await self._steps.beat(holds, lease)

    async def reap(self, limit: int) -> int:
        return await self._steps.reap(limit)

    async def results(self, wanted: Sequence[tuple[str, str]]) -> Sequence[bytes | None]:
        return await self._steps.results(wanted)

    async def ended(self, limit: int) -> Sequence[EndedRun]:
        return await self._steps.ended(limit)

    async def told(self, runs: Sequence[EndedRun]) -> None:
        await self._steps.told(runs)

    async def letters(self, limit: int) -> Sequence[RunLetter]:
        return await self._steps.letters(limit)

    async def remove_letters(self, ids: Sequence[str]) -> None:
        await self._steps.remove_letters(ids)

    async def forget(self, older_than: float, limit: int) -> int:
        return await self._steps.forget(older_than, limit)

    def begin_statement(self, run: NewRun) -> Statement | None:
        return self._steps.begin_statement(run)

    async def close(self) -> None:
        await self._steps.close()


class QuietSteps(StepPassage):
    """The app's own way to its records: it begins runs, but in a test nobody tells of steps while the herd rests."""

    async def take(self, pipelines: Sequence[str], limit: int, again_after: float) -> Sequence[Turn]:
        return ()
