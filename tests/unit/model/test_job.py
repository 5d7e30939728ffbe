import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.errors import DefinitionError
from goatherd.model.job import NO_OPTIONS, JobOptions, job_options
from goatherd.model.seconds import seconds


def options(**given: Any) -> JobOptions:
    return job_options(*(given.get(name) for name in ("delay", "at", "deadline", "id", "priority")))


def test_nothing_said_means_at_once_and_for_ever() -> None:
    assert options() == NO_OPTIONS
    assert options().due(100.0) is None


def test_a_delay_counts_from_the_moment_of_sending() -> None:
    assert options(delay=60).due(100.0) == 160.0
    assert options(delay=timedelta(minutes=1)).due(100.0) == 160.0


def test_a_delay_of_nothing_is_none() -> None:
    assert options(delay=0).due(100.0) is None


def test_a_time_is_a_time_wherever_it_was_written() -> None:
    assert options(at=datetime(1970, 1, 1, 0, 1, tzinfo=UTC)).due(5.0) == 60.0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"delay": 1, "at": datetime(2030, 1, 1, tzinfo=UTC)}, "not both"),
        ({"at": datetime(2030, 1, 1)}, "no time zone"),  # noqa: DTZ001 - that is the mistake
        ({"delay": -1}, "delay=-1 is not a time to come; give 0 or more"),
        ({"delay": timedelta(seconds=-1)}, "0 or more"),
        ({"deadline": 0}, "deadline=0 is not a time to come; give more than 0"),
        ({"deadline": -3}, "more than 0"),
        ({"delay": math.nan}, "nan is not a span of time"),
        ({"deadline": math.inf}, "inf is not a span of time"),
        ({"delay": "soon"}, "'soon' is not a span of time"),
        ({"id": ""}, "id= is empty"),
        ({"id": "x" * 256}, "up to 255 bytes"),
        ({"id": "a\udc80"}, "printable"),
        ({"id": "a\0b"}, "printable"),
    ],
)
def test_options_that_make_no_sense_are_refused_with_the_reason(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        options(**wrong)


@pytest.mark.parametrize("priority", [-1, 10, "high", 2.5])
def test_a_priority_is_from_0_to_9(priority: Any) -> None:
    with pytest.raises(DefinitionError, match=r"0 \(default\) to 9 \(first\)"):
        options(priority=priority)
    assert options(priority=9).priority == 9


def test_later_options_are_added_to_earlier_ones() -> None:
    urgent = options(priority=9, deadline=30)
    assert urgent.then(options(delay=5)) == options(priority=9, deadline=30, delay=5)
    assert urgent.then(options(priority=0)).priority == 0


def test_a_later_time_takes_the_place_of_an_earlier_delay() -> None:
    at = datetime(2030, 1, 1, tzinfo=UTC)
    assert options(delay=5).then(options(at=at)) == options(at=at)
    assert options(at=at).then(options(delay=5)) == options(delay=5)


@given(st.floats(allow_nan=False, allow_infinity=False) | st.timedeltas())
def test_a_span_is_a_number_of_seconds(span: float | timedelta) -> None:
    expected = span.total_seconds() if isinstance(span, timedelta) else span
    assert seconds(span) == expected


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, "soon", None, [], 10**400])
def test_what_is_no_span_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="give a number of seconds or a timedelta"):
        seconds(wrong)
