"""Rules that can be followed, and those that cannot; ticks of a rate; jitter."""

import zoneinfo
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.errors import DefinitionError
from goatherd.model.schedule import Cron, Delay, Rate, ScheduleRule, Timing
from goatherd.model.timing import check_rule, described, jitter_of, next_tick, ticks_of

MOMENTS = st.floats(0, 4e9, allow_nan=False)


def at(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


def following(expression: str, zone: str, after: str, count: int) -> list[str]:
    rule, moment, found = ScheduleRule(timing=Cron(expression, zone)), at(after, zone), []
    for _ in range(count):
        tick = next_tick(rule, moment)
        assert tick is not None
        found.append(datetime.fromtimestamp(tick, ZoneInfo(zone)).strftime("%m-%d %H:%M:%S%z"))
        moment = tick
    return found


def problem(rule: ScheduleRule) -> str:
    with pytest.raises(DefinitionError) as caught:
        check_rule("archive", rule)
    return str(caught.value)


def test_a_time_that_is_left_out_comes_when_the_clock_goes_on() -> None:
    for expression in ("30 2 * * *", "0 30 2 * * *", "*/10 0,30 2 * * *"):
        assert following(expression, "America/New_York", "2026-03-07T12:00", 2)[0] == "03-08 03:00:00-0400"
    assert following("0 30 2 * * *", "America/New_York", "2026-03-08T03:00", 1) == ["03-09 02:30:00-0400"]
    assert following("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", 1) == ["10-04 02:30:00+1100"]


def test_a_time_that_comes_twice_counts_once() -> None:
    for expression in ("30 1 * * *", "0 30 1 * * *"):
        assert following(expression, "America/New_York", "2026-10-31T12:00", 2) == [
            "11-01 01:30:00-0400",
            "11-02 01:30:00-0500",
        ]


def test_a_frequency_goes_on_through_an_hour_that_comes_twice() -> None:
    assert following("0 */30 * * * *", "America/New_York", "2026-11-01T00:45", 5) == [
        "11-01 01:00:00-0400",
        "11-01 01:30:00-0400",
        "11-01 01:00:00-0500",
        "11-01 01:30:00-0500",
        "11-01 02:00:00-0500",
    ]


@pytest.mark.parametrize(
    ("word", "tick"),
    [
        ("@yearly", "2027-01-01T00:00:00"),
        ("@annually", "2027-01-01T00:00:00"),
        ("@monthly", "2026-12-01T00:00:00"),
        ("@weekly", "2026-11-22T00:00:00"),
        ("@daily", "2026-11-17T00:00:00"),
        ("@MIDNIGHT", "2026-11-17T00:00:00"),
        ("@hourly", "2026-11-16T13:00:00"),
        ("@every_minute", "2026-11-16T12:35:00"),
        ("@every_second", "2026-11-16T12:34:57"),
        ("0 0 2 * * ?", "2026-11-17T02:00:00"),
        ("0 0 2 L * ?", "2026-11-30T02:00:00"),
        ("0 0 2 ? * 5L", "2026-11-27T02:00:00"),
        ("0 0 29 2 *", "2028-02-29T00:00:00"),
        ("0 0 * 2 MON#5", "2044-02-29T00:00:00"),
    ],
)
def test_words_and_days(word: str, tick: str) -> None:
    rule = ScheduleRule(timing=Cron(word))
    check_rule("archive", rule)
    assert next_tick(rule, at("2026-11-16T12:34:56.5")) == at(tick)


def test_a_dash_is_never() -> None:
    rule = ScheduleRule(timing=Cron("-", "Asia/Tokyo"))
    check_rule("archive", rule)
    assert next_tick(rule, 0) is None
    assert described(rule) == "never"


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("0 0 30 2 *", "no month 2 has a day 30"),
        ("0 0 31 4,6 *", "no month 4,6 has a day 31"),
        ("0 0 0 */40 2 MON#6", "the day of the week is 'MON#6'"),
        ("60 * * * * *", "the seconds is '60'. There may stand 0-59"),
        ("0 x * * *", "the hours is 'x'"),
        ("0 61 2 * * *", "the minutes is '61'"),
        ("0 0 0 32 * *", "the day of the month is '32'"),
        ("0 0 0 1 13 *", "the month is '13'"),
        ("0 0 2 * *  8", "the day of the week is '8'"),
        ("0 2 * *", "it has 4 fields"),
        ("", "it has 0 fields"),
        ("@reboot", "@reboot is none of the words"),
        ("0 " * 2000, "fields"),
        ("0 0 0 1/0 * *", "the day of the month is '1/0'"),
        (f"{'1' * 5000} * * * *", "it is longer than 1000 characters"),
    ],
)
def test_a_wrong_expression_names_its_field(expression: str, told: str) -> None:
    text = problem(ScheduleRule(timing=Cron(expression)))
    assert told in text
    assert "archive" in text


@given(st.text(max_size=30) | st.text("0123456789*/-,#LW? @JANMO", max_size=30))
def test_any_text_is_an_expression_or_gets_a_clear_error(text: str) -> None:
    rule = ScheduleRule(timing=Cron(text))
    try:
        check_rule("archive", rule)
    except DefinitionError:
        return
    tick = next_tick(rule, 1.8e9)
    assert tick is None or tick > 1.8e9


def test_an_unknown_zone_is_told_with_the_one_that_was_meant() -> None:
    assert "Did you mean 'Europe/Berlin'?" in problem(ScheduleRule(timing=Cron("@daily", "europe/berlin")))
    for zone in ("Europe", "/etc/passwd", "../UTC", "", "A\0B", "\ud800"):
        assert "no such time zone" in problem(ScheduleRule(timing=Cron("@daily", zone)))


def test_without_any_time_zones_utc_works_and_others_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> ZoneInfo:
        raise zoneinfo.ZoneInfoNotFoundError(name)

    monkeypatch.setattr(zoneinfo, "ZoneInfo", missing)
    monkeypatch.setattr(zoneinfo, "available_timezones", set)
    check_rule("archive", ScheduleRule(timing=Cron("@daily", "UTC")))
    assert "pip install tzdata" in problem(ScheduleRule(timing=Cron("@daily", "Europe/Isle_of_Man")))
    with pytest.raises(DefinitionError, match=r"cannot be followed here.*pip install tzdata"):
        ticks_of(Cron("@daily", "Europe/Isle_of_Man"))


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (ScheduleRule(timing=Rate(0)), "every 0 s; give at least 0.001"),
        (ScheduleRule(timing=Rate(float("nan"))), "every nan s"),
        (ScheduleRule(timing=Rate(float("inf"))), "every inf s"),
        (ScheduleRule(timing=Delay(-1)), "-1 s after the end; give 0 or more"),
        (ScheduleRule(timing=Rate(1), jitter=-1), "jitter is -1"),
        (ScheduleRule(timing=Rate(1), min_spacing=float("nan")), "min_spacing is nan"),
        (ScheduleRule(timing=Rate(1), misfire=0), "misfire is 0; it must be 'once', 'skip', or how many"),
        (ScheduleRule(timing=Rate(1), misfire=True), "misfire is True"),
        (ScheduleRule(timing=Rate(1), misfire=1001), "from 1 to 1000"),
        (ScheduleRule(timing=Rate(1), misfire="never"), "misfire is 'never'"),  # type: ignore[arg-type]
        (ScheduleRule(timing=Rate(1), overlap="no"), "overlap is 'no'"),  # type: ignore[arg-type]
        (ScheduleRule(timing=Cron(5)), "expression 5 cannot be used: it is no text"),  # type: ignore[arg-type]
    ],
)
def test_a_rule_that_cannot_be_followed_says_what_to_give(rule: ScheduleRule, told: str) -> None:
    assert told in problem(rule)


@pytest.mark.parametrize(
    ("timing", "words"),
    [
        (Cron("0 0 2 * * *", "Asia/Tokyo"), "0 0 2 * * * Asia/Tokyo"),
        (Rate(60), "every 60 s"),
        (Rate(0.5), "every 0.5 s"),
        (Delay(5.0), "5 s after the end"),
        (Rate(10_000_000), "every 10000000 s"),
    ],
)
def test_a_timing_in_words(timing: Timing, words: str) -> None:
    assert described(ScheduleRule(timing=timing)) == words


@given(st.floats(0.001, 1e6), MOMENTS, MOMENTS)
def test_a_rate_has_its_ticks_at_multiples_of_the_interval(seconds: float, moment: float, later: float) -> None:
    ticks, interval = ticks_of(Rate(seconds)), round(seconds * 1e6)
    after, upto = ticks.after(moment), ticks.upto(moment)
    assert after is not None
    assert upto is not None
    assert upto <= moment < after
    assert round(after * 1e6) - round(upto * 1e6) == interval
    assert round(after * 1e6) % interval == 0
    assert ticks.after(upto) == after
    counted = ticks.count(moment, later)
    assert counted == (max(round((ticks.upto(later) or 0) * 1e6) - round(upto * 1e6), 0)) // interval


@given(st.text(max_size=10), st.floats(0, 1000), st.integers(0, 10**6))
def test_jitter_is_less_than_asked_for_and_ends_before_the_next_tick(name: str, jitter: float, place: int) -> None:
    rule = ScheduleRule(timing=Rate(10), jitter=jitter)
    late = jitter_of(name, rule, place * 10.0)
    assert 0 <= late < max(jitter, 1e-9)
    assert late < 10
    assert late == jitter_of(name, rule, place * 10.0)


def test_jitter_is_spread_over_the_whole_span_and_differs_by_name() -> None:
    rule = ScheduleRule(timing=Rate(60), jitter=30)
    lates = [jitter_of("archive", rule, tick * 60.0) for tick in range(1000)]
    assert min(lates) < 1
    assert max(lates) > 29
    assert 13 < sum(lates) / len(lates) < 17
    assert lates[0] != jitter_of("other", rule, 0.0)
    # Processes of other versions must mean the same moments, so this never changes.
    assert jitter_of("archive", rule, at("2026-11-16T02:00:00")) == pytest.approx(11.668409)


def test_a_delay_has_no_ticks_of_its_own() -> None:
    assert next_tick(ScheduleRule(timing=Delay(5)), datetime.now(UTC).timestamp()) is None
