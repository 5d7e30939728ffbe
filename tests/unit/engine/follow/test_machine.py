"""Random lives of a job that is followed, on a store whose calls are lost, doubled, late or empty."""

import asyncio
from collections.abc import Iterator
from typing import ClassVar

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from goatherd.engine.subscriptions import Subscriptions
from goatherd.errors import Unavailable
from goatherd.model.admission import Append
from goatherd.model.event import BEGINNING, Done, Event, Failed, Position, Progress, Queued, Snapshot, Started, Token
from goatherd.testing.clock import FakeClock
from tests.unit.engine.follow.leaky_store import LeakyStore
from tests.unit.engine.follow.watcher import Watcher

JOB = "job"
LOOK_AFTER = 5.0
#: Turns of the loop after which nothing can be under way: the store in memory answers at once.
TURNS = 60


class FollowMachine(RuleBasedStateMachine):
    """Whatever happens, each one's text is what had been written where he is, and in the end all see the end."""

    runner: ClassVar[asyncio.Runner]

    def __init__(self) -> None:
        super().__init__()
        self.store = LeakyStore()
        self.clock = FakeClock(1000.0)
        self.watchers: list[tuple[Watcher, asyncio.Task[None] | None]] = []
        self.attempt = 1
        self.words = 0
        #: The text at every position that ever was.
        self.truth: dict[Position, str] = {}

        async def make() -> Subscriptions:
            return Subscriptions(self.store, self.clock, look_after=LOOK_AFTER, buffer=3)

        self.subscriptions = self.runner.run(make())

    @property
    def closed(self) -> bool:
        return self.store.logs[JOB].state.closed

    @initialize()
    def queue(self) -> None:
        self.write(Queued(attempt=0, at=1.0))
        self.write(Started(attempt=1, at=1.0, worker="w"))
        self.runner.run(self.join("beginning", True, False))

    # --- what the job does --------------------------------------------------------------------------

    @precondition(lambda self: not self.closed)
    @rule(count=st.integers(1, 6))
    def speak(self, count: int) -> None:
        tokens = []
        for _ in range(count):
            self.words += 1
            tokens.append(Token(attempt=self.attempt, at=1.0, text=f"{self.words} "))
        self.write(*tokens)

    @precondition(lambda self: not self.closed)
    @rule()
    def progress(self) -> None:
        self.write(Progress(attempt=self.attempt, at=1.0, stage="work"))

    @precondition(lambda self: not self.closed)
    @rule()
    def try_again(self) -> None:
        self.attempt += 1
        self.write(Started(attempt=self.attempt, at=1.0, worker="w"))

    @precondition(lambda self: not self.closed)
    @rule(well=st.booleans(), soon=st.integers(0, 7))
    def end(self, well: bool, soon: int) -> None:
        if soon != 5:
            # Most lives are long.
            return
        failed = Failed(attempt=self.attempt, at=1.0, reason="failed", error="E", message="m")
        self.write(Done(attempt=self.attempt, at=1.0, result=msgspec.Raw(b"1")) if well else failed)

    # --- what becomes of the calls --------------------------------------------------------------------

    @precondition(lambda self: self.store.mail)
    @rule(times=st.sampled_from([0, 1, 1, 1, 2]), index=st.integers(0, 5))
    def call(self, times: int, index: int) -> None:
        job, entries = self.store.mail.pop(index % len(self.store.mail))
        self.runner.run(self.ring(times, job, entries))

    @rule()
    def call_with_nothing(self) -> None:
        self.runner.run(self.ring(1, JOB, ()))

    @rule()
    def deliver_all(self) -> None:
        self.runner.run(self.deliver())

    # --- what becomes of the store ----------------------------------------------------------------------

    @rule(away=st.sampled_from([False, False, False, True]))
    def store_away(self, away: bool) -> None:
        self.store.away = away
        self.settle()

    @rule(left=st.integers(0, 4), rarely=st.integers(0, 3))
    def trim(self, left: int, rarely: int) -> None:
        if rarely == 2:
            self.store.trim(JOB, left)

    @precondition(lambda self: not self.closed)
    @rule(count=st.integers(1, 4), rarely=st.integers(0, 3))
    def lose_end(self, count: int, rarely: int) -> None:
        if rarely != 2:
            return
        self.store.lose_end(JOB, count)

    @precondition(lambda self: not self.closed)
    @rule(counts_on=st.booleans(), rarely=st.integers(0, 3))
    def begin_anew(self, counts_on: bool, rarely: int) -> None:
        if rarely != 2:
            return
        text = self.store.logs[JOB].text
        self.store.begin_anew(JOB, counts_on=counts_on)
        self.write(Snapshot(attempt=self.attempt, at=1.0, stage="work", text=text))

    # --- what those do who follow -----------------------------------------------------------------------

    @rule(where=st.sampled_from(["beginning", "now", "later"]), eager=st.booleans(), every=st.booleans())
    def follow(self, where: str, eager: bool, every: bool) -> None:
        self.runner.run(self.join(where, eager, every))

    @precondition(lambda self: self.watchers)
    @rule(which=st.integers(0, 9))
    def take_one(self, which: int) -> None:
        watcher, task = self.watchers[which % len(self.watchers)]
        if task is None:
            self.runner.run(self.take(watcher))

    @precondition(lambda self: self.watchers)
    @rule(which=st.integers(0, 9))
    def leave(self, which: int) -> None:
        watcher, task = self.watchers.pop(which % len(self.watchers))
        self.runner.run(self.part(watcher, task))

    @rule(seconds=st.sampled_from([1.0, 6.0, 15.0]))
    def time_passes(self, seconds: float) -> None:
        self.runner.run(self.wait(seconds))

    # --- how ----------------------------------------------------------------------------------------------

    def write(self, *events: Event) -> None:
        for event in events:
            # Each is noted, then all are told together.
            platform = event.attempt == 0
            append = Append(events=[event], run="" if platform else "r", number=0 if platform else number_of(event))
            self.runner.run(self.store.append(JOB, append))
            self.note_truth()
        told = [self.store.mail.pop() for _ in events][::-1]
        self.store.mail.append((JOB, [entry for _, entries in told for entry in entries]))

    def note_truth(self) -> None:
        log = self.store.logs[JOB]
        for seq in range(log.state.seq + 1):
            # A log that goes on under another epoch names its older events anew.
            self.truth.setdefault(Position(log.state.epoch, seq), log.text_at(seq))

    async def ring(self, times: int, job: str, entries: object) -> None:
        for _ in range(times):
            self.store.ring(job, entries)  # type: ignore[arg-type]  # as it was in the mail
        await turns()

    async def deliver(self) -> None:
        self.store.deliver_all()
        await turns()

    async def join(self, where: str, eager: bool, every: bool) -> None:
        seen = [watcher.position for watcher, _ in self.watchers]
        after = {"beginning": BEGINNING, "now": None, "later": seen[-1] if seen else BEGINNING}[where]
        try:
            follower = await self.subscriptions.follow(JOB, after, every=every)
        except Unavailable:
            assert self.store.away
            return
        watcher = Watcher(follower)
        if after is not None and after.seq:
            watcher.text = self.truth[after]
        task = asyncio.create_task(watcher.run()) if eager else None
        self.watchers.append((watcher, task))
        await turns()
        self.compare()

    async def take(self, watcher: Watcher) -> None:
        if watcher.follower.ended:
            with pytest.raises(StopAsyncIteration):
                await watcher.follower.next()
            return
        waiting = asyncio.create_task(watcher.take())
        await turns()
        if waiting.done():
            waiting.result()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        self.compare()

    async def part(self, watcher: Watcher, task: asyncio.Task[None] | None) -> None:
        await watcher.follower.stop()
        await watcher.follower.stop()
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def wait(self, seconds: float) -> None:
        until = self.clock.now() + seconds
        while (moment := self.clock.next_moment()) is not None and moment <= until:
            self.clock.move_to(moment)
            await turns()
        self.clock.move_to(until)
        await turns()
        self.compare()

    def settle(self) -> None:
        self.runner.run(turns())
        self.compare()

    def compare(self) -> None:
        for watcher, _ in self.watchers:
            assert watcher.problem is None, repr(watcher.problem)
            if watcher.told:
                assert watcher.text == self.truth[watcher.position]

    def teardown(self) -> None:
        self.runner.run(self.end_well())

    async def end_well(self) -> None:
        self.store.away = False
        if self.store.logs[JOB].doubtful:
            # Whoever lost his words says them again, or others say how it ended.
            await self.store.append(JOB, Append(events=[Progress(attempt=0, at=1.0, stage="again")]))
            self.note_truth()
        self.store.mail.clear()
        await self.wait(4 * LOOK_AFTER)
        log = self.store.logs[JOB]
        for watcher, task in self.watchers:
            while task is None and watcher.position != log.state.position:
                await watcher.take(1)
            assert watcher.position == log.state.position
            assert watcher.text == log.text
            assert watcher.follower.ended == log.state.closed
            assert task is None or task.done() == log.state.closed
        for watcher, task in self.watchers:
            await self.part(watcher, task)
        await self.wait(20)
        assert self.store.watches == []
        await self.subscriptions.close()
        assert len(asyncio.all_tasks()) == 1


def number_of(event: Event) -> int:
    """Any number that an append takes; this store does not count."""
    return 1 if isinstance(event, Started) else 2


async def turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def test_random_lives(runner: asyncio.Runner) -> None:
    FollowMachine.runner = runner
    run_state_machine_as_test(FollowMachine, settings=settings(max_examples=100, stateful_step_count=50, deadline=None))
