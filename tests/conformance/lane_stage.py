"""What the machine of lanes stands on: a store, a book of it, and how the one is compared with the other."""

import asyncio
from collections.abc import Awaitable
from typing import ClassVar, TypeVar

from hypothesis.stateful import RuleBasedStateMachine

from goatherd.model.lane import Exchange, Exchanged, Hold
from goatherd.testing.suites.lane_store import LaneStore, StandingClock
from tests.conformance.lane_book import Book
from tests.conformance.lane_draws import LANES, WORKERS, Settling
from tests.conformance.lane_ground import Ground
from tests.conformance.lane_look import Look

Result = TypeVar("Result")

#: Seconds after which a store may forget who asked it last.
REMEMBERS_PEERS = 600.0
#: Seconds between two steps, if they are not at the same time.
INSTANT = 0.001


class LaneStage(RuleBasedStateMachine):
    """Everything that is asked of the store is asked of the book too; after each step they must be the same."""

    runner: ClassVar[asyncio.Runner]
    ground: ClassVar[Ground]

    def __init__(self) -> None:
        super().__init__()
        self.book = Book()
        self.clock = StandingClock()
        #: Seconds that pass with everything that is asked.
        self.instant = INSTANT
        #: The latest time that it was, and when the store was empty last: only the clock knows then what it had.
        self.newest_time = self.emptied = self.clock.time
        self.clients: list[LaneStore] = []
        #: Every hold that anybody ever got.
        self.holds: list[Hold] = []
        self.exchanges: dict[str, list[tuple[float, Exchange, Exchanged]]] = {worker: [] for worker in WORKERS}
        self.number = 0
        #: Whether the last step was without fault; if not, nothing more is asked.
        self.sound = False

    def exchange(
        self, worker: str, settling: list[Settling], queues: list[str], wanted: int, lease: float
    ) -> Exchanged:
        """One exchange, in the store and in the book."""
        client = self.begin()
        settled = [each.of(self.holds, self.next_number(), self.book.now) for each in settling]
        exchange = Exchange(
            worker=worker, number=self.next_number(), settled=settled, queues=queues, wanted=wanted, lease=lease
        )
        answer = self.wait(client.exchange(exchange))
        assert len(answer.settled) == len(settled), "one answer for each settlement"
        for settlement, done in zip(settled, answer.settled, strict=True):
            self.book.settle(settlement, done)
        self.book.end_what_is_due()
        self.book.claim(exchange, answer.claims)
        self.holds += [claim.hold for claim in answer.claims]
        self.exchanges[worker].append((self.book.now, exchange, answer))
        self.look(*LANES, answer=answer)
        return answer

    def begin(self) -> LaneStore:
        """The store is asked something, now by one process and now by another."""
        self.sound = False
        self.clock.advance(self.instant)
        self.book.step += 1
        self.book.now = self.clock.time
        return self.clients[self.book.step % len(self.clients)]

    def next_number(self) -> int:
        self.number += 1
        return self.number

    def newest_holds(self, *lanes: str) -> list[Hold]:
        """Those that count, of these lanes or of all."""
        return [hold for hold in self.holds if self.book.has(hold) and (not lanes or hold.lane in lanes)]

    def is_remembered(self, moment: float) -> bool:
        return self.clock.time - moment < REMEMBERS_PEERS

    def look(self, *lanes: str, answer: Exchanged | None = None) -> None:
        """Compare the store with the book: all lanes, all letters, and the jobs of these lanes."""
        look = Look(self.book)
        self.wait(look.at_store(self.clients[self.book.step % len(self.clients)], set(lanes)))
        if answer is not None:
            look.at_answer(answer)
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
