"""Whatever happens, every tick is fired, missed, skipped or counted, once and in order."""

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from goatherd.model.schedule import Cron, Decision, Delay, DueSchedule, NewFiring, Rate, ScheduleRule, Timing
from goatherd.model.tick_plan import RECORDED, plan
from goatherd.model.timing import MOST_CAUGHT_UP, jitter_of, ticks_of

#: Shortly before the clocks of New York are set back.
START = datetime(2026, 11, 1, 4, 30, tzinfo=UTC).timestamp()
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


@dataclass
class Store:
    """Keeps one schedule as the stores do, in a time of its own."""

    rule: ScheduleRule
    now: float = START
    next_at: float | None = None
    awaits: bool = False
    open: dict[float, float] = field(default_factory=dict)  # the ends of those that are worked on, by tick
    waiting: list[float] = field(default_factory=list)
    begun: list[float] = field(default_factory=list)
    last_ended: float | None = None
    last_tick: float | None = None
    records: list[NewFiring] = field(default_factory=list)

    def look(self) -> DueSchedule | None:
        if self.awaits or (self.next_at is not None and self.next_at > self.now):
            return None
        return DueSchedule(
            name="archive",
            rule=self.rule,
            rev=len(self.records),
            next_at=self.next_at,
            open=len(self.open),
            waiting=len(self.waiting),
            last_fired=self.begun[-1] if self.begun else None,
            last_ended=self.last_ended,
            last_tick=self.last_tick,
        )

    def decide(self, decision: Decision, lasts: float) -> None:
        for firing in decision.firings:
            assert self.last_tick is None or firing.tick > self.last_tick, "out of order"
            self.last_tick = firing.tick
            if firing.state == "due":
                self._begin(firing.tick, lasts)
            elif firing.state == "waiting":
                self.waiting.append(firing.tick)
        self.records += decision.firings
        self.next_at, self.awaits = decision.next_at, decision.next_at is None

    def _begin(self, tick: float, lasts: float) -> None:
        self.begun.append(self.now)
        self.open[tick] = self.now + lasts

    def advance(self, span: float, lasts: float) -> None:
        self.now += span
        while True:
            over = sorted((end, tick) for tick, end in self.open.items() if end <= self.now)
            if not over:
                return
            end, tick = over[0]
            del self.open[tick]
            self.last_ended = end
            if self.waiting:
                # Those who let it begin see the end when it is there.
                self.begun.append(max(end, self.begun[-1]))
                self.open[self.waiting.pop(0)] = end + lasts
            if isinstance(self.rule.timing, Delay):
                self.next_at, self.awaits = None, False


TIMINGS: st.SearchStrategy[Timing] = st.sampled_from(
    [
        Rate(1),
        Rate(7),
        Rate(60),
        Rate(0.3),
        Rate(3600),
        Cron("* * * * * *", "America/New_York"),
        Cron("*/20 * * * * *"),
        Cron("0 */10 * * * *", "America/New_York"),
        Cron("0 0,20,40 1 * * *", "America/New_York"),
        Cron("@hourly"),
    ]
)
RULES = st.builds(
    ScheduleRule,
    timing=TIMINGS,
    overlap=st.sampled_from(["forbid", "queue", "allow"]),
    misfire=st.sampled_from(["once", "skip"]) | st.integers(1, 5) | st.just(MOST_CAUGHT_UP),
    jitter=st.sampled_from([0.0, 0.0, 2.0, 30.0, 5000.0]),
    min_spacing=st.sampled_from([0.0, 0.0, 0.0, 5.0, 90.0]),
)
SPANS = st.floats(0.01, 3) | st.integers(1, 90).map(float) | st.floats(60, 9000)
STEPS = st.lists(st.tuples(SPANS, st.floats(0, 200)), min_size=1, max_size=60)


def follow(rule: ScheduleRule, steps: list[tuple[float, float]]) -> Store:
    """Let time pass; somebody looks after each step."""
    store = Store(rule)
    for span, lasts in [(0.0, 1.0), *steps]:
        store.advance(span, lasts)
        due = store.look()
        if due is not None:
            decision = plan(due, store.now)
            assert decision == plan(due, store.now)
            check_decision(rule, decision, store)
            store.decide(decision, lasts)
    return store


def check_decision(rule: ScheduleRule, decision: Decision, store: Store) -> None:
    assert decision.next_at is None or decision.next_at > store.now
    states = [firing.state for firing in decision.firings]
    assert states.count("missed") <= RECORDED
    fires = states.count("due") + states.count("waiting")
    assert fires <= (rule.misfire if isinstance(rule.misfire, int) else 1)
    assert all(bool(firing.id) == (firing.state in {"due", "waiting"}) for firing in decision.firings)
    # Those that are missed are older than those that are not.
    assert "missed" not in states[states.count("missed") :]
    if rule.overlap != "allow":
        assert states.count("due") <= (0 if store.open or store.waiting else 1)
    if rule.min_spacing and "due" in states:
        assert states.count("due") == 1
        assert not store.begun or store.now >= store.begun[-1] + rule.min_spacing - 1e-6
    if rule.misfire == "once" and rule.overlap == "allow" and states:
        assert states[-1] == "due"


def check_all(rule: ScheduleRule, steps: list[tuple[float, float]]) -> None:
    store = follow(rule, steps)
    ticks, last = ticks_of(rule.timing), store.last_tick
    told = len(store.records) + sum(firing.missed for firing in store.records)
    assert told == (0 if last is None else ticks.count(START, last))
    assert len({firing.tick for firing in store.records}) == len(store.records)
    for firing in store.records:
        assert ticks.upto(firing.tick) == firing.tick
        assert firing.tick > START
    # What is due and not decided about has been put off, and will be looked at.
    newest = ticks.upto(store.now)
    if newest is not None and newest > (last or START) and newest + jitter_of("archive", rule, newest) <= store.now:
        assert rule.min_spacing
        assert store.next_at is not None
        assert store.next_at > store.now


@settings(max_examples=100, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(rule=RULES, steps=STEPS)
def test_every_tick_is_fired_missed_skipped_or_counted(rule: ScheduleRule, steps: list[tuple[float, float]]) -> None:
    check_all(rule, steps)


@pytest.mark.chaos
@pytest.mark.timeout(900)
@settings(max_examples=4_000, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(rule=RULES, steps=STEPS)
def test_every_tick_is_fired_missed_skipped_or_counted_for_long(
    rule: ScheduleRule, steps: list[tuple[float, float]]
) -> None:
    check_all(rule, steps)


@settings(max_examples=60, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(
    rule=st.builds(
        ScheduleRule,
        timing=st.sampled_from([Delay(0), Delay(0.5), Delay(5), Delay(100)]),
        jitter=st.sampled_from([0.0, 3.0]),
        min_spacing=st.sampled_from([0.0, 20.0]),
    ),
    steps=STEPS,
)
def test_a_delay_never_overlaps_and_never_begins_too_soon(rule: ScheduleRule, steps: list[tuple[float, float]]) -> None:
    store, delay = Store(rule), rule.timing
    assert isinstance(delay, Delay)
    for span, lasts in [(0.0, 1.0), *steps]:
        store.advance(span, lasts)
        for _ in range(2):  # the first one may only work out when it is due
            due = store.look()
            if due is None:
                continue
            decision = plan(due, store.now)
            assert decision.next_at is None or decision.next_at > store.now
            if decision.firings:
                assert not store.open
                assert store.now >= (-math.inf if store.last_ended is None else store.last_ended + delay.seconds)
                assert not store.begun or store.now >= store.begun[-1] + rule.min_spacing
            store.decide(decision, lasts)
        # It is worked on, or it will be looked at.
        assert store.open or (store.next_at is not None and store.next_at > store.now)
