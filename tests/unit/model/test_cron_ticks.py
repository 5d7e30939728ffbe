"""Ticks of cron expressions, compared with a slow clock-watcher on the days when clocks are set."""

from bisect import bisect_right
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from goatherd.errors import DefinitionError
from goatherd.model.schedule import Cron, ScheduleRule
from goatherd.model.timing import check_rule, next_tick, ticks_of
from tests.unit.model.cron_oracle import DAYS, Meaning, expected_ticks, meanings, minutes_around

MOST = 300
PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def compare(zone: str, meaning: Meaning, drawn: st.DataObject) -> None:
    rule = ScheduleRule(timing=Cron(meaning.text, zone))
    day = drawn.draw(st.sampled_from(DAYS[zone]))
    watched = minutes_around(zone, day)
    # The first day is only for the watcher to get to know what the wall has shown.
    first, last = watched[1440][0], watched[-1][0] + 59
    start = drawn.draw(st.integers(first, last) | st.integers(first + 6 * 3600, first + 30 * 3600))
    end = drawn.draw(st.integers(start, last) | st.integers(start, min(start + 7200, last)))
    fraction = drawn.draw(st.sampled_from([0.0, 0.25, 0.999]))
    try:
        check_rule("tested", rule)
    except DefinitionError:
        # Every kind of year comes within forty of them.
        assert not any(meaning.is_day(date(2000, 1, 1) + timedelta(days=place)) for place in range(40 * 366))
        return
    expected = [tick for tick in expected_ticks(meaning, zone, day) if first < tick]
    after, until = bisect_right(expected, start), bisect_right(expected, end)

    walked: list[float] = []
    moment = float(start)
    while len(walked) < MOST:
        following = next_tick(rule, moment + fraction)
        if following is None or following > last:
            break
        walked.append(following)
        moment = following
    assert walked == expected[after : after + MOST]
    ticks = ticks_of(rule.timing)
    assert ticks.count(start, end) == until - after
    if until:
        assert ticks.upto(end) == expected[until - 1]


@pytest.mark.parametrize("zone", sorted(DAYS))
@settings(max_examples=20, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(meaning=meanings(), drawn=st.data())
def test_ticks_are_those_that_somebody_sees_who_watches_the_clock(
    zone: str, meaning: Meaning, drawn: st.DataObject
) -> None:
    compare(zone, meaning, drawn)


@pytest.mark.chaos
@pytest.mark.timeout(900)
@pytest.mark.parametrize("zone", sorted(DAYS))
@settings(max_examples=500, deadline=None, phases=PHASES, suppress_health_check=list(HealthCheck))
@given(meaning=meanings(), drawn=st.data())
def test_ticks_are_those_that_somebody_sees_who_watches_the_clock_for_long(
    zone: str, meaning: Meaning, drawn: st.DataObject
) -> None:
    compare(zone, meaning, drawn)
