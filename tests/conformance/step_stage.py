"""What the machine of runs stands on: a store, a book of it, and how both are asked the same."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar, Protocol, TypeVar

from hypothesis.stateful import RuleBasedStateMachine

from goatherd.model.run_record import (
    Decision,
    Onward,
    Turn,
    UnitClaim,
    UnitExchange,
    UnitExchanged,
    UnitKey,
    UnitSettlement,
)
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.step_people import AGAIN_AFTER, Plan
from goatherd.testing.suites.step_store import StepStore
from tests.conformance.step_answers import Answers
from tests.conformance.step_book import Book
from tests.conformance.step_draws import PIPELINES, WORKERS
from tests.conformance.step_look import Look

Result = TypeVar("Result")

#: Seconds after which at the latest a unit is given again.
HOUR = 3600.0


class Ground(Protocol):
    """A place for stores."""

    async def clear(self) -> None:
        """Begin with an empty store; what was opened before is closed."""

    async def open(self, now: Callable[[], float]) -> StepStore:
        """One more client of that store, as another process has it."""

    async def kept(self) -> Sequence[str]:
        """What the store keeps of runs, by name."""


class StepStage(RuleBasedStateMachine):
    """Everything that is asked of the store is asked of the book too; after each step they must be the same."""

    runner: ClassVar[asyncio.Runner]
    ground: ClassVar[Ground]

    def __init__(self) -> None:
        super().__init__()
        self.book = Book()
        self.clock = StandingClock()
        #: Seconds that pass with everything that is asked.
        self.instant = 0.001
        self.clients: list[StepStore] = []
        self.plans: dict[str, Plan] = {}
        #: Every claim that anybody ever got, and every exchange with its answer.
        self.claims: list[UnitClaim] = []
        self.exchanges: dict[str, tuple[UnitExchange, UnitExchanged]] = {}
        self.number = 0
        #: Whether the store is compared with the book after each step.
        self.looking = True
        #: Whether the last step was without fault; if not, nothing more is asked.
        self.sound = False

    def exchange(
        self, worker: str = WORKERS[0], settled: Sequence[UnitSettlement] = (), decided: Sequence[Decision] = (),
        wanted: Sequence[UnitKey] = (), lease: float = 10.0,
    ) -> UnitExchanged:  # fmt: skip
        """One exchange, in the store and in the book."""
        client = self.begin()
        exchange = UnitExchange(
            worker=worker, number=self.next_number(), settled=settled, decided=decided, wanted=wanted, lease=lease
        )
        answer = self.wait(client.exchange(exchange))
        Answers(self.book).check(exchange, answer)
        self.claims += [claim for claim in answer.claims if isinstance(claim, UnitClaim)]
        self.exchanges[worker] = (exchange, answer)
        self.look()
        return answer

    def take(self, limit: int) -> list[Turn]:
        """Units that workers should be told of: the longest overdue, and no others."""
        client = self.begin()
        turns = list(self.wait(client.take(PIPELINES, limit, AGAIN_AFTER)))
        units = {key: unit for run in self.book.runs.values() for key, unit in run.units.items()}
        due = sorted(unit.tell for unit in units.values() if unit.tell is not None and unit.tell <= self.book.now)
        given = []
        for turn in turns:
            unit = units.get(turn.key)
            assert unit is not None, f"I3: {turn.key} was taken, and there is no such unit"
            assert unit.tell is not None, f"I3 and I4: {turn.key} was taken, and it is {unit.state}"
            told = (turn.size, turn.content, turn.phase, turn.failures, turn.tellings, turn.trouble)
            expected = (unit.size, unit.content, unit.phase, unit.failures, unit.tellings, unit.trouble)
            assert told == expected, f"I5: {turn.key} was taken as another than it is"
            given.append(unit.tell)
            unit.tell = self.book.now + min(AGAIN_AFTER * 2.0**unit.tellings, HOUR)
            unit.tellings += 1
        assert given == due[:limit], f"I5: {len(given)} of {len(due)} units were taken, or not the longest overdue"
        self.look()
        return turns

    def onward(self, key: UnitKey) -> Onward:
        return self.plans[key.run].onward(key.step)

    def begin(self) -> StepStore:
        """The store is asked something, now by one process and now by another."""
        self.sound = False
        self.clock.advance(self.instant)
        self.book.now = self.clock.time
        return self.clients[self.next_number() % len(self.clients)]

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def look(self) -> None:
        """Compare the store with the book."""
        if not self.looking:
            return
        self.wait(Look(self.book).at_store(self.clients[self.number % len(self.clients)]))
        self.sound = True

    def wait(self, awaitable: Awaitable[Result]) -> Result:
        async def bounded() -> Result:
            async with asyncio.timeout(20):
                return await awaitable

        return self.runner.run(bounded())

    def teardown(self) -> None:
        """Let all that is there be done, if nothing was wrong until now."""
        try:
            if self.sound:
                self.drain()
        finally:
            self.wait(self.end())

    async def end(self) -> None:
        for client in self.clients:
            await client.close()

    def drain(self) -> None:
        """Faults stop."""
        raise NotImplementedError
