"""Schedules beside a book of them: programs of several versions, those who tick and those who ticked too late."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Protocol, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from goatherd.model.schedule import Decision, Declared, DueSchedule, Firing, FiringEnd, NewFiring, ScheduleRule
from goatherd.testing.suites.lane_store import StandingClock
from goatherd.testing.suites.schedule_store import AFTER_END, BESIDE, EVERY, JOB, QUEUED, ScheduleStore
from tests.conformance.schedule_book import Book, Entry, Page

Result = TypeVar("Result")

NAMES = st.sampled_from(["archive", "clean"])
RULES = st.sampled_from([EVERY, QUEUED, BESIDE, AFTER_END])
#: What becomes of the ticks of a decision: as it is decided, and as nobody should.
SHAPES = st.sampled_from([
    (), ("due",), ("missed", "due"), ("skipped",), ("due", "due"), ("due", "waiting", "waiting"), ("waiting",),
])  # fmt: skip
#: Of the firings so far, counted back from the newest.
BACK = st.integers(0, 5)
ENDS = st.sampled_from(["done", "done", "failed", "cancelled"])
NEXT = st.sampled_from([None, -1.0, 1.0, 30.0])


class Ground(Protocol):
    """A place for stores."""

    async def clear(self) -> None:
        """Begin with an empty store."""

    async def open(self, now: Callable[[], float]) -> ScheduleStore:
        """One more client of that store, as another process has it."""


class ScheduleMachine(RuleBasedStateMachine):
    """Everything that is asked of the store is asked of the book too; after each step they must be the same."""

    runner: ClassVar[asyncio.Runner]
    ground: ClassVar[Ground]

    def __init__(self) -> None:
        super().__init__()
        self.book = Book()
        self.clock = StandingClock()
        self.clients: list[ScheduleStore] = []
        self.number = 0
        self.ids: list[str] = []
        #: What somebody saw, and at which change of the schedule.
        self.seen: list[tuple[DueSchedule, int]] = []

    @initialize()
    def work_begins(self) -> None:
        async def begin() -> None:
            await self.ground.clear()
            self.clients = [await self.ground.open(self.clock) for _ in range(2)]

        self.wait(begin())

    # --- programs and people ---------------------------------------------------------------------------------------

    @rule(name=NAMES, version=RULES, alive=st.sampled_from([5.0, 20.0]))
    def a_program_lives(self, name: str, version: ScheduleRule, alive: float) -> None:
        self.wait(self.begin().declare([Declared(name=name, rule=version)], alive))
        self.book.declare(name, version, alive)
        self.compare()

    @precondition(lambda self: self.number % 3 == 0)
    @rule(name=NAMES, chosen=RULES, job=st.sampled_from([None, JOB, b"another"]))
    def somebody_sets_it(self, name: str, chosen: ScheduleRule, job: bytes | None) -> None:
        self.wait(self.begin().set(name, chosen, job))
        self.book.choose(name, chosen, job)
        self.compare()

    @rule(name=NAMES, what=st.sampled_from(["remove", "remove", "remove", "pause", "resume", "resume"]))
    def somebody_changes_his_mind(self, name: str, what: str) -> None:
        client = self.begin()
        if what == "remove":
            assert self.wait(client.remove(name)) == self.book.remove(name), f"I1: whether {name} was set"
        else:
            found = self.wait(client.pause(name) if what == "pause" else client.resume(name))
            assert found == self.book.pause(name, what == "pause"), f"I1: whether there is {name}"
        self.compare()

    @rule(name=NAMES, again=st.booleans(), back=BACK)
    def somebody_triggers_it(self, name: str, again: bool, back: int) -> None:
        id = self.id_of(back) if again and self.ids else self.new_id()
        firing = self.wait(self.begin().trigger(name, id))
        entry = self.book.trigger(name, id)
        assert (firing is None) == (entry is None), f"I1: whether {name} could be triggered"
        if firing is not None and entry is not None:
            check_entry(firing, entry)
        self.compare()

    # --- those who tick --------------------------------------------------------------------------------------------

    @rule(states=SHAPES, next_in=NEXT)
    def what_is_due_is_decided(self, states: tuple[Any, ...], next_in: float | None) -> None:
        self.decide(self.look(), states, next_in)

    @precondition(lambda self: self.seen)
    @rule(back=BACK, states=SHAPES, next_in=NEXT)
    def somebody_decides_by_what_he_saw_before(self, back: int, states: tuple[Any, ...], next_in: float | None) -> None:
        self.decide([self.seen[-1 - back % len(self.seen)]], states, next_in)

    @precondition(lambda self: self.ids)
    @rule(backs=st.lists(BACK, min_size=1, max_size=2), ended=st.booleans())
    def runs_begin(self, backs: list[int], ended: bool) -> None:
        ids = [self.id_of(back) for back in backs]
        self.wait(self.begin().begun(ids, ended=ended))
        for id in ids:
            self.book.begin(id, ended)
        self.compare()

    @precondition(lambda self: self.ids)
    @rule(backs=st.lists(st.tuples(BACK, ENDS), min_size=1, max_size=3))
    def runs_end(self, backs: list[tuple[int, Any]]) -> None:
        ends = [FiringEnd(id=self.id_of(back), state=state) for back, state in backs]
        to_do = self.wait(self.begin().ended(ends))
        expected = [self.book.end(end.id, end.state) for end in ends]
        assert to_do == any(expected), "I5: whether there is something to do after an end"
        self.compare()

    @rule(state=ENDS)
    def what_is_open_ends(self, state: Any) -> None:
        open_now = [entry.id for page in self.book.pages.values() for entry in page.entries if entry.is_open]
        to_do = self.wait(self.begin().ended([FiringEnd(id=id, state=state) for id in open_now]))
        expected = [self.book.end(id, state) for id in open_now]
        assert to_do == any(expected), "I5: whether there is something to do after an end"
        self.compare()

    @rule(older_than=st.sampled_from([0.0, 3.0, 30.0]))
    def old_firings_are_forgotten(self, older_than: float) -> None:
        count = self.wait(self.begin().forget(older_than, 1000))
        assert count == self.book.forget(older_than), "I6: how many are forgotten"
        self.compare()

    @rule(seconds=st.sampled_from([0.5, 1.0, 4.0, 20.0]))
    def time_passes(self, seconds: float) -> None:
        self.clock.advance(seconds)

    # --- how it is asked -------------------------------------------------------------------------------------------

    def decide(self, seen: list[tuple[DueSchedule, int]], states: tuple[Any, ...], next_in: float | None) -> None:
        client = self.begin()
        decisions = [self.decision(due, states, next_in) for due, _ in seen]
        heard = list(self.wait(client.decide(decisions)))
        expected = [self.book.pages[due.name].changes == change for due, change in seen]
        assert heard == expected, "I2: who is heard"
        for decision, was_heard in zip(decisions, heard, strict=True):
            if was_heard:
                self.book.decide(decision)
        self.compare()

    def decision(self, due: DueSchedule, states: tuple[Any, ...], next_in: float | None) -> Decision:
        first = (due.last_tick or 0.0) + 1.0
        new = [
            NewFiring(
                tick=first + number, id=self.new_id() if state in ("due", "waiting") else "", state=state, missed=number
            )
            for number, state in enumerate(states)
        ]
        next_at = None if next_in is None else self.clock.time + next_in
        return Decision(name=due.name, rev=due.rev, firings=tuple(new), next_at=next_at)

    def look(self) -> list[tuple[DueSchedule, int]]:
        look = self.wait(self.begin().look(["archive"], 100))
        pages = [page for page in self.book.pages.values() if page.name == "archive" or page.job is not None]
        due = [page for page in pages if page.due is not None and page.due <= self.book.now]
        assert {each.name for each in look.due} == {page.name for page in due}, "I3: what is due"
        for each in look.due:
            check_due(each, self.book.pages[each.name])
        later = [page.due for page in pages if page.due is not None and page.due > self.book.now]
        assert look.next_at == min(later, default=None), "I3: when something is due next"
        wanted = {
            entry.id for page in self.book.pages.values() for entry in page.entries
            if entry.state == "due" and (page.name == "archive" or entry.job is not None)
        }  # fmt: skip
        assert {firing.id for firing in look.firings} == wanted, "I4: what has fired and is to begin"
        found = [(each, self.book.pages[each.name].changes) for each in look.due]
        self.seen += found
        return found

    def compare(self) -> None:
        """The store with the book."""
        client = self.begin(0.0)
        pages = {page.name: page for page in self.book.pages.values() if page.exists}
        states = {state.name: state for state in self.wait(client.list())}
        assert states.keys() == pages.keys(), "I1: which schedules there are"
        for name, state in states.items():
            page = pages[name]
            origin = "gone" if not page.fires else "set" if page.chosen is not None else "code"
            assert (state.rule, state.origin, state.paused) == (page.rule, origin, page.paused), (
                f"I1: which {name} counts"
            )
            assert state.next_at == page.next_at, f"I3: when {name} is due"
            counted = (page.count("due", "open"), page.count("waiting"))
            assert (state.open, state.waiting) == counted, f"I4: how many of {name} are open and wait"
            ended = [entry for entry in page.entries if entry.has_ended]
            for firing, those in ((state.last, page.entries), (state.last_end, ended)):
                assert (firing is None) == (not those), f"I6: whether {name} has a newest firing"
                if firing is not None:
                    check_entry(firing, those[-1])
        for page in self.book.pages.values():
            history = self.wait(client.history(page.name, 1000))
            assert len(history) == len(page.entries), f"I4: what has fired of {page.name}"
            for firing, entry in zip(history, reversed(page.entries), strict=True):
                check_entry(firing, entry)
        self.look()

    def begin(self, instant: float = 0.001) -> ScheduleStore:
        """The store is asked something, now by one process and now by another."""
        self.clock.advance(instant)
        self.book.turn(self.clock.time)
        self.number += 1
        return self.clients[self.number % len(self.clients)]

    def new_id(self) -> str:
        self.ids.append(f"run {len(self.ids)}")
        return self.ids[-1]

    def id_of(self, back: int) -> str:
        return self.ids[-1 - back % len(self.ids)]

    def wait(self, awaitable: Awaitable[Result]) -> Result:
        async def bounded() -> Result:
            async with asyncio.timeout(60):
                return await awaitable

        return self.runner.run(bounded())

    def teardown(self) -> None:
        for client in self.clients:
            self.wait(client.close())


def check_due(due: DueSchedule, page: Page) -> None:
    told = (due.rule, due.next_at, due.open, due.waiting)
    assert told == (page.rule, page.next_at, page.count("due", "open"), page.count("waiting")), f"I3: {due}"
    times = (due.last_fired, due.last_ended, due.last_tick)
    assert close(times, (page.last_fired, page.last_ended, page.last_tick)), f"I5: {due}, but {page}"


def check_entry(firing: Firing, entry: Entry) -> None:
    told = (firing.id, firing.state, firing.triggered, firing.missed, firing.job)
    assert told == (entry.id, entry.state, entry.triggered, entry.missed, entry.job), f"I4: {firing}, but {entry}"
    times = (firing.tick, firing.fired, firing.begun, firing.ended)
    assert close(times, (entry.tick, entry.fired, entry.begun, entry.ended)), f"I5: {firing}, but {entry}"


def close(told: tuple[float | None, ...], kept: tuple[float | None, ...]) -> bool:
    """The same to a microsecond or two, in which databases tell time."""
    pairs = zip(told, kept, strict=True)
    return all(a == b or (a is not None and b is not None and abs(a - b) < 3e-6) for a, b in pairs)
