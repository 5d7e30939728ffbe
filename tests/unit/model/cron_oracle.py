"""A slow cron that is easy to see through: it looks at a clock on the wall minute by minute.

It does not read expressions: each comes with the times that it means, as plain sets and questions.
"""

import calendar
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

#: Around these days clocks are set forward or back there, or nothing happens.
DAYS = {
    "America/New_York": (date(2026, 3, 8), date(2026, 11, 1), date(2024, 3, 10)),
    "Europe/Berlin": (date(2026, 3, 29), date(2026, 10, 25), date(2027, 10, 31)),
    "Australia/Lord_Howe": (date(2026, 4, 5), date(2026, 10, 4), date(2027, 4, 4)),  # by half an hour
    "America/Santiago": (date(2026, 4, 5), date(2026, 9, 6)),  # at midnight
    "Antarctica/Troll": (date(2026, 3, 29), date(2026, 10, 25)),  # by two hours
    "Asia/Tokyo": (date(2026, 3, 29), date(2028, 2, 29)),
}


@dataclass(frozen=True)
class Meaning:
    """An expression and what it means."""

    text: str
    seconds: frozenset[int]
    minutes: frozenset[int]
    hours: frozenset[int]
    is_day: Callable[[date], bool]
    #: Whether it names times of the day, not a frequency.
    fixed: bool

    def seconds_at(self, minute: datetime) -> list[int]:
        """Its seconds in this minute of the wall clock."""
        fits = minute.minute in self.minutes and minute.hour in self.hours and self.is_day(minute.date())
        return sorted(self.seconds) if fits else []


@lru_cache(64)
def minutes_around(zone: str, day: date) -> list[tuple[int, datetime]]:
    """Every minute of four days, and what the wall shows at its beginning."""
    noon = int(datetime(day.year, day.month, day.day, 12, tzinfo=UTC).timestamp())
    moments = range(noon - 2 * 86400, noon + 2 * 86400, 60)
    return [(moment, datetime.fromtimestamp(moment, ZoneInfo(zone)).replace(tzinfo=None)) for moment in moments]


def expected_ticks(meaning: Meaning, zone: str, day: date) -> Iterator[int]:
    """All its ticks in these four days, but for times that are left out on their first minute."""
    shown = None
    for moment, wall in minutes_around(zone, day):
        ticks = {moment + second for second in meaning.seconds_at(wall)}
        if meaning.fixed and shown is not None:
            if wall <= shown:
                continue  # seen before
            left_out = shown + timedelta(minutes=1)
            while left_out < wall:
                if meaning.seconds_at(left_out):
                    ticks.add(moment)
                left_out += timedelta(minutes=1)
        shown = wall
        yield from sorted(ticks)


# --- expressions ------------------------------------------------------------------------------------


@st.composite
def _term(draw: st.DrawFn, low: int, high: int) -> tuple[str, set[int]]:
    start = draw(st.integers(low, high))
    end = draw(st.integers(start, high))
    step = draw(st.integers(1, 20))
    return draw(
        st.sampled_from(
            [
                (f"{start}", {start}),
                (f"{start}-{end}", set(range(start, end + 1))),
                (f"{start}/{step}", set(range(start, high + 1, step))),
                ((f"{start}-{end}/{step}", set(range(start, end + 1, step))) if start < end else (f"{start}", {start})),
            ]
        )
    )


@st.composite
def numbers(draw: st.DrawFn, low: int, high: int) -> tuple[str, frozenset[int]]:
    """A field of numbers."""
    if draw(st.booleans()):
        step = draw(st.sampled_from([1, 1, 2, 5, 7, 15, 30]))
        return (f"*/{step}" if step > 1 else "*"), frozenset(range(low, high + 1, step))
    terms = draw(st.lists(_term(low, high), min_size=1, max_size=3))
    return ",".join(text for text, _ in terms), frozenset().union(*(values for _, values in terms))


_NAMES = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


def _days_of_month() -> st.SearchStrategy[tuple[str, Callable[[date], bool]]]:
    def last(day: date) -> bool:
        return day.month != (day + timedelta(days=1)).month

    def last_weekday(day: date) -> bool:
        working = [
            number
            for number in range(1, calendar.monthrange(day.year, day.month)[1] + 1)
            if date(day.year, day.month, number).weekday() < 5
        ]
        return day.day == working[-1]

    plain = numbers(1, 31).map(lambda field: (field[0], lambda day: day.day in field[1]))
    return st.just(("*", lambda _: True)) | plain | st.sampled_from([("L", last), ("LW", last_weekday)])


@st.composite
def _days_of_week(draw: st.DrawFn) -> tuple[str, Callable[[date], bool]]:
    kind = draw(st.sampled_from(["star", "range", "name", "nth", "last"]))
    number = draw(st.integers(0, 7))
    name = draw(st.sampled_from([str(number), _NAMES[number % 7], _NAMES[number % 7].lower()]))
    if kind == "star":
        return "*", lambda _: True
    if kind == "range":
        end = draw(st.integers(number, 7))
        wanted = {each % 7 for each in range(number, end + 1)}
        return f"{number}-{end}", lambda day: day.isoweekday() % 7 in wanted
    if kind == "nth":
        nth = draw(st.integers(1, 5))
        return f"{name}#{nth}", lambda day: day.isoweekday() % 7 == number % 7 and (day.day - 1) // 7 + 1 == nth
    if kind == "last":
        return (
            f"{number}L",
            lambda day: day.isoweekday() % 7 == number % 7 and (day + timedelta(days=7)).month != day.month,
        )
    return name, lambda day: day.isoweekday() % 7 == number % 7


@st.composite
def meanings(draw: st.DrawFn) -> Meaning:
    """Expressions of five and six fields."""
    six = draw(st.booleans())
    # Clocks are set in the night.
    early = st.integers(0, 4).map(lambda hour: (str(hour), frozenset({hour})))
    seconds = draw(numbers(0, 59)) if six else ("0", frozenset({0}))
    minutes, hours = draw(numbers(0, 59)), draw(numbers(0, 23) | early)
    days, weekdays = draw(_days_of_month()), draw(_days_of_week())
    months = draw(st.just(("*", frozenset(range(1, 13)))) | numbers(1, 12))
    either = not (days[0].startswith("*") or weekdays[0].startswith("*"))

    def is_day(day: date) -> bool:
        by_date, by_weekday = days[1](day), weekdays[1](day)
        return day.month in months[1] and ((by_date or by_weekday) if either else (by_date and by_weekday))

    fields = [seconds[0], minutes[0], hours[0], days[0], months[0], weekdays[0]]
    text = " ".join(fields if six else fields[1:])
    fixed = not (minutes[0].startswith("*") or hours[0].startswith("*"))
    return Meaning(text, seconds[1], minutes[1], hours[1], is_day, fixed)
