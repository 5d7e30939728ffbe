"""Whatever is lost on the way, the log comes to say what was told: nothing twice, nothing out of order."""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from goatherd.engine import unwritten
from goatherd.engine.unwritten import Unwritten
from goatherd.model.admission import Append, Known, Outcome, admit, new_epoch
from goatherd.model.event import Done, Event, Failed, Position, Progress, Retrying, Started, Token
from goatherd.model.ids import new_id
from goatherd.model.job_state import change_by

NOW = 1_000_000.0
#: Small ones, so that a short story meets every limit.
SMALL = {"LARGEST_TOKEN": 8, "BATCH": 3, "MOST_EVENTS": 6}


class Log:
    """A job's log as the stores keep it, decided by the real `admit`."""

    def __init__(self) -> None:
        self.ever: list[Event] = []
        self.wipe()

    def wipe(self) -> None:
        self.known: Known | None = None
        self.entries: list[Event] = []
        self.text = ""
        self.stage: tuple[str, float | None] = ("", None)

    def append(self, append: Append) -> Outcome:
        admitted = admit(self.known, append, "one")
        if isinstance(admitted, Outcome):
            return admitted
        fresh = append.events[admitted.skip :]
        seq = (0 if self.known is None else self.known.seq) + len(fresh)
        epoch = new_epoch() if self.known is None or admitted.begins else self.known.epoch
        for event in fresh:
            self._write(event)
        self.known = Known(
            epoch=epoch, seq=seq, attempt=admitted.attempt, run=admitted.run, number=admitted.number,
            status="", closed=isinstance(fresh[-1], Done | Failed), lineage="one",
        )  # fmt: skip
        return Outcome(answer="ok", position=Position(epoch, seq))

    def _write(self, event: Event) -> None:
        change = change_by(event)
        self.text = ("" if change.voids_text else self.text) + change.text
        if "stage" in change.fields:
            self.stage = change.fields["stage"], change.fields["progress"]
        self.entries.append(event)
        self.ever.append(event)


class Telling(RuleBasedStateMachine):
    """One attempt, its log, and all that may happen between the two."""

    def __init__(self) -> None:
        super().__init__()
        self.unwritten, self.log = Unwritten(new_id()), Log()
        self.unwritten.add(Started(attempt=1, at=NOW, worker="w"))
        self.text, self.stages = "", list[Progress]()
        self.ended, self.over, self.harmed = False, False, False
        self.lost = 0
        self.by_number: dict[int, bytes] = {}
        self.on_its_way: Append | None = None
        self.astray: list[Append] = []

    # --- the job tells -----------------------------------------------------------------------------------------

    @precondition(lambda self: not self.ended)
    @rule(text=st.text(min_size=1, max_size=10), node=st.sampled_from(["answer", "thought"]))
    def streams(self, text: str, node: str) -> None:
        self.text += text
        self.unwritten.add(Token(attempt=1, at=NOW, text=text, node=node))

    @precondition(lambda self: not self.ended)
    @rule(percent=st.none() | st.integers(0, 100))
    def reaches_a_stage(self, percent: int | None) -> None:
        stage = Progress(attempt=1, at=NOW, stage=f"stage {len(self.stages)}", percent=percent)
        self.stages.append(stage)
        self.unwritten.add(stage)

    @rule()
    def the_window_is_over(self) -> None:
        self.unwritten.seal()

    @precondition(lambda self: not self.ended)
    @rule(well=st.booleans())
    def comes_to_its_end(self, well: bool) -> None:
        done = Done(attempt=1, at=NOW, result=msgspec.Raw(b"1"))
        self.unwritten.add(done if well else Retrying(attempt=1, at=NOW, error="E", delay=1))
        self.ended = True

    # --- it is written, or not ---------------------------------------------------------------------------------

    @precondition(lambda self: self.on_its_way is None and not self.over)
    @rule()
    def is_sent(self) -> None:
        append = self.unwritten.next()
        if append is None:
            return
        for number, event in enumerate(append.events, append.number):
            told = msgspec.json.encode(event)
            assert self.by_number.setdefault(number, told) == told, f"number {number} stood for another event"
        self.on_its_way = append

    @precondition(lambda self: self.on_its_way)
    @rule()
    def arrives(self) -> None:
        append = self._taken()
        outcome = self.log.append(append)
        match outcome.answer:
            case "ok" | "duplicate":
                self.unwritten.written(append.last_number)
            case "gap":
                self.unwritten.missing(outcome.expected, NOW)
            case "closed":
                self.over = True
            case "fenced":
                raise AssertionError("there is only one attempt")

    @precondition(lambda self: self.on_its_way)
    @rule()
    def arrives_but_nobody_hears_of_it(self) -> None:
        self.log.append(self._taken())

    @precondition(lambda self: self.on_its_way)
    @rule()
    def goes_astray(self) -> None:
        self.astray.append(self._taken())

    @precondition(lambda self: self.astray)
    @rule(chance=st.randoms(use_true_random=False))
    def arrives_late(self, chance: Any) -> None:
        self.log.append(chance.choice(self.astray))

    @rule()
    def the_store_is_emptied(self) -> None:
        self.log.wipe()
        self.harmed = True

    @precondition(lambda self: len(self.unwritten))
    @rule()
    def too_much_waits_while_the_store_is_away(self) -> None:
        self.unwritten.seal()
        self.lost += self.unwritten.shrink(NOW)

    def _taken(self) -> Append:
        append, self.on_its_way = self.on_its_way, None
        assert append is not None
        return append

    # --- what must hold ----------------------------------------------------------------------------------------

    @invariant()
    def no_stage_is_told_twice_or_too_late(self) -> None:
        seen = _stages(self.log.entries)
        assert seen == [stage for stage in self.stages if stage in seen]

    @invariant()
    def sizes_do_not_run_away(self) -> None:
        assert self.unwritten._size >= 0
        if not len(self.unwritten):
            assert self.unwritten._size == 0

    def teardown(self) -> None:
        complete = self.over or (self.ended and not len(self.unwritten))
        if self.on_its_way is not None:
            self.goes_astray()
        if not self.ended:
            self.comes_to_its_end(well=True)
        for _ in range(1000):
            if self.over or not len(self.unwritten):
                break
            self.is_sent()
            self.arrives()
        else:
            raise AssertionError("it is never written")
        for append in self.astray:
            self.log.append(append)
        if complete and self.harmed:
            # All had been written when the store was emptied, so nobody was there to write it again.
            return
        assert self.log.text == self.text
        assert isinstance(self.log.entries[-1], Done | Retrying), "how it ended is told last"
        told = [(stage.stage, stage.percent) for stage in self.stages]
        assert self.log.stage == (told[-1] if told else ("", None))
        missing = [stage for stage in self.stages if stage not in _stages(self.log.ever)]
        assert len(missing) <= self.lost


def _stages(events: Sequence[Event]) -> list[Progress]:
    return [event for event in events if isinstance(event, Progress)]


def test_the_log_comes_to_say_what_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SMALL.items():
        monkeypatch.setattr(unwritten, name, value)
    run_state_machine_as_test(Telling, settings=settings(max_examples=300, stateful_step_count=40))  # type: ignore[no-untyped-call]


def test_how_it_ended_outlives_the_lack_of_room() -> None:
    waiting = Unwritten(new_id())
    waiting.add(Started(attempt=2, at=NOW, worker="w"))
    for number in range(unwritten.MOST_EVENTS):
        waiting.add(Progress(attempt=2, at=NOW, stage=str(number)))
    waiting.add(Failed(attempt=2, at=NOW, reason="failed", error="E", message="m"))
    assert waiting.full
    assert waiting.shrink(NOW) == unwritten.MOST_EVENTS
    append = waiting.next()
    assert append is not None
    snapshot, end = append.events
    assert (snapshot.attempt, type(end)) == (2, Failed)
    assert append.begins_anew
    assert append.number > unwritten.MOST_EVENTS


def test_what_stages_carry_counts_as_what_waits() -> None:
    waiting = Unwritten(new_id())
    waiting.add(Started(attempt=1, at=NOW, worker="w"))
    heavy = {"page": "x" * (unwritten.MOST_BYTES // 4)}
    for _ in range(4):
        assert not waiting.full
        waiting.add(Progress(attempt=1, at=NOW, stage="fetch", fields=heavy))
    assert waiting.full
    waiting.written(5)
    assert not waiting.full


@pytest.mark.parametrize("pieces", [["a" * 2048], ["a" * 1024, "b" * 1023, "c"], ["ö" * 1024]])
def test_two_kibibytes_of_tokens_are_an_event(pieces: list[str]) -> None:
    waiting = Unwritten(new_id())
    grown = [waiting.add(Token(attempt=1, at=NOW, text=piece)) for piece in pieces]
    assert grown == [False] * (len(pieces) - 1) + [True]
    assert len(waiting) == 1
