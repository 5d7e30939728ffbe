"""A job's log beside a simple picture of it: writers of several attempts, platforms, losses, in any order."""

import asyncio
from collections.abc import Awaitable, Sequence
from typing import Any, ClassVar, TypeVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from goatherd.model.admission import Append, Outcome
from goatherd.model.event import (
    BEGINNING,
    Done,
    Event,
    Failed,
    Position,
    Progress,
    Queued,
    Retrying,
    Snapshot,
    Started,
    Token,
)
from goatherd.model.ids import new_id
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import NOW

Result = TypeVar("Result")

ATTEMPTS = st.integers(1, 3)
RUNS = st.integers(0, 1)
NUMBERS = st.integers(1, 7)
TEXTS = st.text(max_size=5)
#: Later runs are greater, whatever the clock of the test says.
RUN_IDS = sorted([new_id(), new_id()])


class Picture:
    """What must be kept of a job: the events of its log, as plain lists."""

    def __init__(self) -> None:
        self.lost()

    def lost(self) -> None:
        """Nothing is known of it."""
        self.log: list[Event] | None = None
        self.before = 0
        #: What each run has written, the newest run, and what is told of it.
        self.written: dict[tuple[int, str], int] = {}
        self.newest = (0, "")
        self.ended = False

    def append(self, append: Append) -> tuple[str, int]:
        """The answer that it must get, and what it tells."""
        answer = self._answer(append)
        if answer is not None:
            return answer
        first, writer = append.events[0], (append.attempt, append.run)
        done = self.written.get(writer, 0) if append.run else 0
        fresh = list(append.events[max(0, done + 1 - append.number) :] if append.run else append.events)
        if self.log is None or (isinstance(first, Snapshot) and fresh[0] is first):
            self.before += len(self.log or ())
            self.log = []
        self.log += fresh
        if append.run or append.attempt > self.newest[0]:
            self.newest = writer
        if append.run:
            self.written[writer] = append.number + len(append.events) - 1
        self.ended = isinstance(fresh[-1], Done | Failed)
        return "ok", 0

    def _answer(self, append: Append) -> tuple[str, int] | None:
        first, writer = append.events[0], (append.attempt, append.run)
        if self.log is None:
            return ("gap", 1) if append.number > 1 and not isinstance(first, Snapshot) else None
        if append.attempt and writer < self.newest and (append.run or append.attempt < self.newest[0]):
            return "fenced", self.newest[0]
        done = self.written.get(writer, 0)
        if append.number + len(append.events) - 1 <= done if append.run else self._said_before(first):
            return "duplicate", 0
        if self.ended:
            return "closed", 0
        if append.run and append.number > done + 1 and not isinstance(first, Snapshot):
            return "gap", done + 1
        return None

    def _said_before(self, event: Event) -> bool:
        turns = [each for each in self.log or () if isinstance(each, Queued | Started | Snapshot | Retrying)]
        if isinstance(event, Retrying):
            retried = bool(turns) and isinstance(turns[-1], Retrying) and not self.ended
            return retried and event.attempt == self.newest[0]
        return isinstance(event, Queued)

    @property
    def text(self) -> str:
        text = ""
        for event in self.log or ():
            if isinstance(event, Started | Snapshot):
                text = ""
            if isinstance(event, Token | Snapshot):
                text += event.text
        return text

    @property
    def top(self) -> int:
        return self.before + len(self.log or ())


class EventMachine(RuleBasedStateMachine):
    """Subclass it and give it `wipe` and `change_lineage`; `play` gives it the rest."""

    runner: ClassVar[asyncio.Runner]
    events: ClassVar[Events]

    def __init__(self) -> None:
        super().__init__()
        self.job = new_id()
        self.picture = Picture()
        self.told: dict[Position, bytes] = {}
        self.lost_epochs: set[str] = set()
        self.doubtful_epoch = ""

    async def wipe(self) -> None:
        """Make the store lose everything."""
        raise NotImplementedError

    def change_lineage(self, lineage: str) -> None:
        """Make the store look like another one, or like itself after a restart."""
        raise NotImplementedError

    # --- what happens ------------------------------------------------------------------------------------------

    @rule(attempt=ATTEMPTS, run=RUNS, number=NUMBERS, texts=st.lists(TEXTS, min_size=1, max_size=3))
    def an_attempt_writes(self, attempt: int, run: int, number: int, texts: list[str]) -> None:
        tokens = [Token(attempt=attempt, at=NOW, text=text) for text in texts]
        self.attempt_appends(attempt, run, number, tokens)

    @rule(ahead=st.integers(-3, 2), texts=st.lists(TEXTS, min_size=1, max_size=4))
    def the_attempt_that_is_on_goes_on(self, ahead: int, texts: list[str]) -> None:
        """From where it was, or a little before or beyond."""
        attempt, run = self.picture.newest
        if run:
            number = max(1, self.picture.written[attempt, run] + ahead)
            tokens = [Token(attempt=attempt, at=NOW, text=text) for text in texts]
            self.attempt_appends(attempt, RUN_IDS.index(run), number, tokens)

    @rule(attempt=ATTEMPTS, run=RUNS, number=NUMBERS, percent=st.none() | st.floats(0, 100))
    def an_attempt_tells_its_progress(self, attempt: int, run: int, number: int, percent: float | None) -> None:
        stage = Progress(attempt=attempt, at=NOW, stage=f"stage {attempt}.{run}", percent=percent)
        self.attempt_appends(attempt, run, number, [stage])

    @rule(attempt=ATTEMPTS, run=RUNS, number=NUMBERS)
    def an_attempt_is_done(self, attempt: int, run: int, number: int) -> None:
        self.attempt_appends(attempt, run, number, [Done(attempt=attempt, at=NOW, result=msgspec.Raw(b"1"))])

    @rule(attempt=ATTEMPTS, run=RUNS, number=NUMBERS, text=TEXTS)
    def an_attempt_tells_all_in_one(self, attempt: int, run: int, number: int, text: str) -> None:
        whole = Snapshot(attempt=attempt, at=NOW, stage="late", text=text)
        following = Token(attempt=attempt, at=NOW, text="!")
        self.append(Append(events=[whole, following], run=RUN_IDS[run], number=number))

    @rule()
    def the_job_is_queued(self) -> None:
        self.append(Append(events=[Queued(attempt=0, at=NOW)]))

    @rule(attempt=ATTEMPTS)
    def the_platform_tries_again(self, attempt: int) -> None:
        self.append(Append(events=[Retrying(attempt=attempt, at=NOW, error="E", delay=1)]))

    @rule(attempt=st.integers(0, 3))
    def the_platform_gives_up(self, attempt: int) -> None:
        self.append(Append(events=[Failed(attempt=attempt, at=NOW, reason="lost", error="E", message="m")]))

    @rule()
    def all_is_lost(self) -> None:
        self.lost_epochs |= {position.epoch for position in self.told}
        self.wait(self.wipe())
        self.picture.lost()

    @rule()
    def the_job_is_forgotten(self) -> None:
        self.lost_epochs |= {position.epoch for position in self.told}
        self.wait(self.events.forget(self.job))
        self.picture.lost()

    @rule()
    def the_store_may_have_forgotten(self) -> None:
        """As after a power cut or a failover, here of a store that has not."""
        state = self.wait(self.events.state(self.job))
        self.doubtful_epoch = state.epoch if state is not None else ""
        self.change_lineage(new_id())

    # --- what must hold ----------------------------------------------------------------------------------------

    def attempt_appends(self, attempt: int, run: int, number: int, events: Sequence[Event]) -> None:
        if number == 1:
            events = [Started(attempt=attempt, at=NOW, worker="w"), *events]
        self.append(Append(events=events, run=RUN_IDS[run], number=number))

    def append(self, append: Append) -> None:
        wanted = self.picture.append(append)
        outcome: Outcome = self.wait(self.events.append(self.job, append))
        assert (outcome.answer, outcome.expected or outcome.attempt) == wanted
        assert outcome.position.seq == self.picture.top
        assert outcome.position.epoch not in self.lost_epochs
        assert outcome.answer != "ok" or outcome.position.epoch != self.doubtful_epoch

    @invariant()
    def it_is_kept_as_it_was_written(self) -> None:
        whole = self.wait(self.events.read(self.job, None))
        state = self.wait(self.events.state(self.job))
        if self.picture.log is None:
            assert whole is None
            assert state is None
            return
        assert whole is not None
        assert (whole.text, whole.top.seq, whole.state) == (self.picture.text, self.picture.top, state)
        assert (state.attempt, state.closed) == (self.picture.newest[0], self.picture.ended)

    @invariant()
    def every_event_stands_where_it_was(self) -> None:
        if self.picture.log is None:
            return
        state = self.wait(self.events.state(self.job))
        assert state is not None
        start = Position(state.epoch, self.picture.before)
        from_start = self.wait(self.events.read(self.job, start))
        assert from_start is not None
        assert from_start.resumed
        assert [entry.event() for entry in from_start.entries] == self.picture.log
        for entry in from_start.entries:
            assert self.told.setdefault(entry.position, entry.body) == entry.body
        from_beginning = self.wait(self.events.read(self.job, BEGINNING))
        assert from_beginning is not None
        assert from_beginning.resumed == (self.picture.before == 0)

    @rule(chance=st.randoms(use_true_random=False))
    def an_old_position_is_resumed_or_not(self, chance: Any) -> None:
        if not self.told:
            return
        position = chance.choice(sorted(self.told, key=str))
        reading = self.wait(self.events.read(self.job, position))
        if reading is None or not reading.resumed:
            current = reading is not None and position.epoch == reading.top.epoch
            assert not current, "every position of the log as it is can be resumed from"
            return
        assert position.epoch not in self.lost_epochs
        assert [entry.position.seq for entry in reading.entries] == list(range(position.seq + 1, reading.top.seq + 1))

    def wait(self, awaitable: Awaitable[Result]) -> Result:
        async def bounded() -> Result:
            async with asyncio.timeout(20):
                return await awaitable

        return self.runner.run(bounded())
