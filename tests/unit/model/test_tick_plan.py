"""What is decided about ticks that are due, one policy to a test."""

import time
from datetime import UTC, datetime
from typing import Any

import pytest

from goatherd.model.schedule import Cron, Decision, Delay, DueSchedule, Misfire, NewFiring, Rate, ScheduleRule, Timing
from goatherd.model.tick_plan import plan
from goatherd.model.timing import jitter_of

START = 1_800_000_000.0
MINUTE = Rate(60)


def due(timing: Timing = MINUTE, **told: Any) -> DueSchedule:
    options = {name: told.pop(name) for name in ("overlap", "misfire", "jitter", "min_spacing") if name in told}
    state: dict[str, Any] = {"next_at": START, "open": 0, "waiting": 0, "last_tick": START - 60} | told
    return DueSchedule(name="archive", rule=ScheduleRule(timing=timing, **options), rev=7, **state)


def said(decision: Decision) -> list[tuple[float, str]]:
    """Each firing by its distance to the start."""
    assert (decision.name, decision.rev) == ("archive", 7)
    return [(firing.tick - START, firing.state) for firing in decision.firings]


def after_start(decision: Decision) -> float | None:
    return None if decision.next_at is None else decision.next_at - START


def test_a_tick_in_time_fires_under_an_id_that_tells_it() -> None:
    decision = plan(due(), START + 0.5)
    moment = datetime.fromtimestamp(START, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert decision.firings == (NewFiring(tick=START, id=f"archive@{moment}", state="due"),)
    assert after_start(decision) == 60


@pytest.mark.parametrize("last_tick", [None, START - 600])
def test_one_that_is_new_changed_or_resumed_fires_nothing_that_was_before(last_tick: float | None) -> None:
    decision = plan(due(next_at=None, last_tick=last_tick), START + 1)
    assert (said(decision), after_start(decision)) == ([], 60)
    fired = plan(due(next_at=decision.next_at, last_tick=last_tick), START + 60.2)
    assert (said(fired), after_start(fired)) == ([(60, "due")], 120)


def test_one_that_is_looked_at_too_early_keeps_its_moment() -> None:
    decision = plan(due(next_at=START + 60, last_tick=START), START + 30)
    assert (said(decision), after_start(decision)) == ([], 60)


def test_a_clock_that_was_set_back_fires_no_tick_twice() -> None:
    decision = plan(due(last_tick=START + 60), START + 1)
    assert (said(decision), after_start(decision)) == ([], 120)
    decision = plan(due(next_at=None, last_tick=START + 60), START + 1)
    assert (said(decision), after_start(decision)) == ([], 120)


@pytest.mark.parametrize(
    ("misfire", "now", "expected"),
    [
        ("once", 100, [(0, "missed"), (60, "due")]),
        ("once", 59.9 + 60, [(0, "missed"), (60, "due")]),
        ("skip", 100, [(0, "missed"), (60, "due")]),
        (2, 130, [(0, "missed"), (60, "due"), (120, "waiting")]),
        (3, 130, [(0, "due"), (60, "waiting"), (120, "waiting")]),
        (9, 130, [(0, "due"), (60, "waiting"), (120, "waiting")]),
    ],
)
def test_ticks_that_nobody_fired_in_time(misfire: Misfire, now: float, expected: list[tuple[float, str]]) -> None:
    decision = plan(due(misfire=misfire), START + now)
    assert said(decision) == expected
    assert after_start(decision) == expected[-1][0] + 60


def test_a_tick_that_is_very_late_is_made_up_for_or_not() -> None:
    daily = Cron("@daily")
    midnight = datetime(2026, 11, 16, tzinfo=UTC).timestamp()
    told = {"next_at": midnight, "last_tick": midnight - 86400}
    for misfire, late, state in (("once", 7200, "due"), ("skip", 60, "due"), ("skip", 61, "missed"), (1, 7200, "due")):
        decision = plan(due(daily, misfire=misfire, **told), midnight + late)
        assert [(firing.tick, firing.state) for firing in decision.firings] == [(midnight, state)]
        assert decision.next_at == midnight + 86400


@pytest.mark.parametrize(
    ("overlap", "open_", "waiting", "states"),
    [
        ("forbid", 1, 0, ["skipped"]),
        ("forbid", 0, 1, ["skipped"]),
        ("queue", 1, 0, ["waiting"]),
        ("queue", 1, 1, ["skipped"]),
        ("queue", 0, 0, ["due"]),
        ("allow", 3, 0, ["due"]),
    ],
)
def test_a_tick_beside_one_that_is_worked_on(overlap: str, open_: int, waiting: int, states: list[str]) -> None:
    decision = plan(due(overlap=overlap, open=open_, waiting=waiting), START)
    assert [firing.state for firing in decision.firings] == states
    assert bool(decision.firings[0].id) == (states != ["skipped"])


def test_many_that_are_made_up_for_beside_one_that_is_worked_on() -> None:
    for overlap, states in (
        ("forbid", ["skipped", "skipped", "skipped"]),
        ("queue", ["waiting", "skipped", "skipped"]),
        ("allow", ["due", "due", "due"]),
    ):
        decision = plan(due(overlap=overlap, misfire=3, open=1), START + 120)
        assert [firing.state for firing in decision.firings] == states


@pytest.mark.parametrize("timing", [Rate(1), Cron("* * * * * *", "America/New_York"), Cron("0-59 0-59 0-23 * * *")])
def test_a_month_without_anybody_costs_twenty_records_and_no_time(timing: Timing) -> None:
    month = 30 * 86400
    told = due(timing, last_tick=START, next_at=START + 1)
    begun = time.perf_counter()
    decision = plan(told, START + month + 0.5)
    assert time.perf_counter() - begun < 1  # it takes a few milliseconds
    assert [firing.state for firing in decision.firings] == ["missed"] * 20 + ["due"]
    assert [firing.tick for firing in decision.firings] == [START + month - 20 + place for place in range(21)]
    assert sum(firing.missed for firing in decision.firings) + 21 == month
    assert decision.firings[0].missed == month - 21


def test_a_tick_waits_for_its_jitter_and_no_longer_than_the_next() -> None:
    rule = due(jitter=600).rule
    late = jitter_of("archive", rule, START)
    assert 0 < late < 60
    planned = plan(due(jitter=600, next_at=None), START - 1)
    assert planned.next_at == START + late
    assert said(plan(due(jitter=600, next_at=START + late), START + late - 0.01)) == []
    decision = plan(due(jitter=600, next_at=START + late), START + late)
    assert said(decision) == [(0, "due")]
    assert decision.next_at == START + 60 + jitter_of("archive", rule, START + 60)


def test_a_tick_that_comes_too_soon_is_put_off_and_not_lost() -> None:
    told: dict[str, Any] = {"min_spacing": 30, "last_fired": START - 10}
    decision = plan(due(**told), START)
    assert said(decision) == []
    assert after_start(decision) == pytest.approx(20, abs=1e-5)
    fired = plan(due(next_at=decision.next_at, **told), START + 20.1)
    assert (said(fired), after_start(fired)) == ([(0, "due")], 60)


def test_one_that_was_put_off_for_long_is_not_late() -> None:
    told = {"min_spacing": 3000, "last_fired": START - 10, "misfire": "skip"}
    decision = plan(due(Rate(3600), last_tick=START - 3600, **told), START)
    fired = plan(due(Rate(3600), last_tick=START - 3600, next_at=decision.next_at, **told), START + 2990.1)
    assert said(fired) == [(0, "due")]


def test_ticks_that_come_closer_than_they_may_begin_become_one() -> None:
    told = {"min_spacing": 60, "last_fired": START, "last_tick": START}
    decision = plan(due(Rate(20), next_at=START + 20, **told), START + 20)
    assert said(decision) == []
    assert after_start(decision) == pytest.approx(60, abs=1e-5)
    fired = plan(due(Rate(20), next_at=decision.next_at, **told), START + 60.1)
    assert said(fired) == [(20, "missed"), (40, "missed"), (60, "due")]


def test_ticks_are_caught_up_with_one_by_one_where_beginnings_must_lie_apart() -> None:
    told: dict[str, Any] = {"min_spacing": 100, "misfire": 3}
    hour = Rate(3600)
    first = plan(due(hour, last_tick=START - 3600, **told), START + 7300)
    assert (said(first), after_start(first)) == ([(0, "due")], 7400)
    now = START + 7400.5
    second = plan(due(hour, next_at=first.next_at, last_tick=START, last_fired=START + 7300.1, **told), now)
    assert (said(second), after_start(second)) == ([(3600, "due")], 7500.5)
    third = plan(due(hour, next_at=second.next_at, last_tick=START + 3600, last_fired=now, **told), START + 7501)
    assert (said(third), after_start(third)) == ([(7200, "due")], 10800)


def test_what_was_due_in_a_pause_is_not_made_up_for_even_if_the_next_is_put_off() -> None:
    told: dict[str, Any] = {"min_spacing": 100, "misfire": 9, "last_fired": START + 590, "last_tick": START}
    resumed = plan(due(next_at=None, **told), START + 595)
    assert after_start(resumed) == 600
    put_off = plan(due(next_at=resumed.next_at, **told), START + 600)
    assert said(put_off) == [(540, "missed")]
    told["last_tick"] = START + 540
    fired = plan(due(next_at=put_off.next_at, **told), START + 691)
    assert said(fired) == [(600, "due")]
    assert after_start(fired) == pytest.approx(791, abs=1e-4)


def test_a_beginning_written_down_by_a_clock_that_ran_ahead_stops_nothing() -> None:
    assert said(plan(due(min_spacing=30, last_fired=START + 86400), START)) == [(0, "due")]


def test_what_is_never_due_is_not_looked_at_again() -> None:
    decision = plan(due(Cron("-"), next_at=None), START)
    assert (decision.firings, decision.next_at) == ((), None)
    decision = plan(due(Cron("-")), START)
    assert (decision.firings, decision.next_at) == ((), None)


# --- a delay after the end ---------------------------------------------------------------------------


def test_the_first_run_of_a_delay_begins_at_once() -> None:
    decision = plan(due(Delay(5), next_at=None, last_tick=None), START + 0.25)
    assert (said(decision), decision.next_at) == ([(0.25, "due")], None)


def test_a_delay_begins_so_long_after_the_end() -> None:
    ended = {"last_ended": START, "last_tick": START - 9, "last_fired": START - 9}
    decision = plan(due(Delay(5), next_at=None, **ended), START + 1)
    assert (said(decision), after_start(decision)) == ([], 5)
    assert said(plan(due(Delay(5), next_at=START + 5, **ended), START + 5.5)) == [(5.5, "due")]
    # However late that is: it has no ticks that could be missed.
    assert said(plan(due(Delay(5), next_at=None, misfire="skip", **ended), START + 900)) == [(900, "due")]


def test_a_delay_waits_for_what_is_worked_on() -> None:
    for busy in ({"open": 1}, {"waiting": 1}):
        decision = plan(due(Delay(5), **busy), START + 1)
        assert (decision.firings, decision.next_at) == ((), None)


def test_a_delay_may_have_jitter_and_spacing() -> None:
    ended = {"last_ended": START, "last_tick": START - 9, "last_fired": START - 9, "jitter": 10}
    decision = plan(due(Delay(5), next_at=None, **ended), START + 1)
    assert decision.next_at is not None
    assert 5 < decision.next_at - START < 15
    decision = plan(due(Delay(5), next_at=START + 5, min_spacing=60, **ended), START + 5)
    assert (said(decision), after_start(decision)) == ([], 51)


def test_a_delay_has_another_tick_each_time_whatever_the_clock_does() -> None:
    decision = plan(due(Delay(0), next_at=None, last_ended=START + 50, last_tick=START + 50), START)
    [firing] = decision.firings
    assert firing.tick - START == pytest.approx(50.000001, abs=5e-7)
