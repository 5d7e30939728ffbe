"""Random lives of a tally: who adds, sets apart, posts, comes late or dies, against a book that is kept by hand."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from goatherd.model.tally import REMEMBERED_FOR, Batch
from goatherd.ports.tallies import Tallies
from goatherd.testing.suites.lane_people import Worker
from goatherd.testing.suites.lane_store import LaneStore, StandingClock
from goatherd.testing.suites.tally_store import EVERY, TALLY, job_of, lane_of
from tests.conformance.tally_book import TallyBook

NAMES = ("ann", "bob", "cat")
KEYS = st.sampled_from(NAMES)
IDS = st.one_of(st.none(), st.sampled_from(["gift-1", "gift-2", "gift-3"]))


class Ground(Protocol):
    """A place for stores; those of the suite are."""

    async def open(self, store: Any, now: Callable[[], float] | None = None) -> Tallies: ...
    async def open_lanes(self, store: Any, now: Callable[[], float] | None = None) -> LaneStore: ...
    async def wipe(self, store: Any) -> None: ...
    async def kept(self, store: Any) -> Sequence[str]: ...


class TallyMachine(RuleBasedStateMachine):
    runner: ClassVar[asyncio.Runner]
    ground: ClassVar[Ground]
    new_store: ClassVar[Callable[[], Any]]

    @initialize()
    def begin(self) -> None:
        self.store = type(self).new_store()
        self.clock = StandingClock()
        #: A store that has lost all has nothing but its clock, which must not be set back to before that.
        self.floor = 0.0
        self.book = TallyBook()
        self.known: list[Batch] = []
        self.clients = [self.do(self.ground.open(self.store, self.clock)) for _ in range(2)]
        self.lanes = self.do(self.ground.open_lanes(self.store, self.clock))

    def do(self, asked: Any) -> Any:
        return self.runner.run(asked)

    @rule(client=st.integers(0, 1), key=KEYS, amount=st.integers(-5, 20).filter(bool), id=IDS)
    def add(self, client: int, key: str, amount: int, id: str | None) -> None:
        counted = self.do(self.clients[client].add(TALLY, key, amount, id))
        assert counted == self.book.add(key, amount, id, self.clock.time), f"T1: {key} {amount} {id}"

    @rule(client=st.integers(0, 1), limit=st.integers(1, 5))
    def seal(self, client: int, limit: int) -> None:
        told = self.do(self.clients[client].seal(TALLY, EVERY, limit))
        self.book.sealed(told, limit, self.clock.time)
        self.known += [batch for batch in told.batches if batch not in self.known]

    @precondition(lambda self: self.known)
    @rule(client=st.integers(0, 1), choice=st.data(), elsewhere=st.booleans())
    def hand_over(self, client: int, choice: st.DataObject, elsewhere: bool) -> None:
        """Also batches that were handed over long ago, by one who was frozen meanwhile."""
        batches = choice.draw(st.lists(st.sampled_from(self.known[-6:]), min_size=1, max_size=4))
        if elsewhere:
            self.do(self.clients[client].done(TALLY, batches))
            self.book.handed_over(batches, elsewhere=True)
        else:
            put = self.do(self.clients[client].post(TALLY, [job_of(batch) for batch in batches]))
            assert put == self.book.handed_over(batches), f"T2: {batches}"

    @rule(seconds=st.sampled_from([EVERY, EVERY, EVERY, 1.0, 0.001, -7.0, REMEMBERED_FOR / 2]), limit=st.integers(1, 4))
    def time_passes(self, seconds: float, limit: int) -> None:
        """And somebody looks whether there is something to do."""
        self.clock.time = max(self.clock.time + seconds, self.floor)
        self.seal(0, limit)

    @rule(which=st.sampled_from(["first", "first", "second", "second", "all is lost"]))
    def trouble(self, which: str) -> None:
        if which == "all is lost":
            self.do(self.ground.wipe(self.store))
            self.book.wiped()
            # Past all numbers that it gave: its clock is what makes them grow.
            self.clock.time = self.floor = max(self.clock.time, float(int(self.book.last_moment) + 1))
            return
        client = 0 if which == "first" else 1
        self.do(self.clients[client].close())
        self.clients[client] = self.do(self.ground.open(self.store, self.clock))

    @invariant()
    def nothing_is_lost_or_doubled(self) -> None:
        waiting = self.do(self.clients[0].waiting(TALLY))
        assert waiting == self.book.waiting(), f"T3: {waiting} wait, not {self.book.waiting()}"

    def teardown(self) -> None:
        if not hasattr(self, "lanes"):
            return
        try:
            self.flush_all()
            claims = self.do(Worker(self.lanes).drain())
            for key in NAMES:
                done = [claim.id for claim in claims if claim.lane == lane_of(key)]
                assert done == self.book.posted.get(key, []), f"T4: {key}: {done}"
            if not any(self.book.counters.values()):
                assert [each for each in self.do(self.ground.kept(self.store)) if each != "tally_id"] == [], "T5"
        finally:
            for client in (*self.clients, self.lanes):
                self.do(client.close())
            self.do(self.ground.wipe(self.store))

    def flush_all(self) -> None:
        for _ in range(2):
            self.clock.advance(EVERY)
            while True:
                told = self.do(self.clients[0].seal(TALLY, EVERY, 3))
                self.book.sealed(told, 3, self.clock.time)
                if not told.batches:
                    break
                put = self.do(self.clients[0].post(TALLY, [job_of(batch) for batch in told.batches]))
                assert put == len(told.batches) == self.book.handed_over(told.batches), "T2: it was there"
        assert not any(total > 0 for total in self.book.counters.values()), "T3: something is left"
