"""Cron expressions: six fields, seconds first; or five; or a word.

The fields are read as Debian's cron reads them: if both the day of the month and the day of the week are given and
neither begins with a star, a day counts that fits one of them.
"""

from datetime import UTC, datetime
from functools import lru_cache

from cronsim import CronSim, CronSimError

from goatherd.model.cron_pattern import Pattern

#: An expression that names no time at all, for a schedule that is switched off.
NEVER = "-"
WORDS = {
    "@yearly": "0 0 0 1 1 *",
    "@annually": "0 0 0 1 1 *",
    "@monthly": "0 0 0 1 * *",
    "@weekly": "0 0 0 * * 0",
    "@daily": "0 0 0 * * *",
    "@midnight": "0 0 0 * * *",
    "@hourly": "0 0 * * * *",
    "@every_minute": "0 * * * * *",
    "@every_second": "* * * * * *",
}
#: The field's name in cronsim's complaints, its place among six, our name for it and what may stand there.
_FIELDS = {
    "second": (0, "seconds", "0-59"),
    "minute": (1, "minutes", "0-59"),
    "hour": (2, "hours", "0-23"),
    "day-of-month": (3, "day of the month", "1-31, L for the last day, LW for the last one from Monday to Friday"),
    "month": (4, "month", "1-12 or JAN-DEC"),
    "day-of-week": (5, "day of the week", "0-7 or SUN-SAT, 5L for the last Friday, MON#2 for the second Monday"),
}
_FORM = "Write six fields (second minute hour day month weekday), or five (without the second)"
_LONGEST = 1000
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
_ORIGIN = 946684800


class Expression:
    """What an expression says."""

    def __init__(self, fields: CronSim) -> None:
        self.pattern = Pattern(fields)
        #: Whether it names certain times of the day, and no frequency: then a clock that is set forward or back makes
        #: it neither pass one over nor come twice.
        self.fixed = not (fields.parts[1].startswith("*") or fields.parts[2].startswith("*"))


@lru_cache(1024)
def parsed(text: str) -> Expression | None:
    """What it says; None for one that means never. Raises ValueError with the field that is wrong."""
    wanted = text.strip()
    if wanted == NEVER:
        return None
    if wanted.startswith("@"):
        wanted = _spelled_out(wanted)
    if len(wanted) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST} characters. {_FORM}.")
    parts = wanted.split()
    if len(parts) not in {5, 6}:
        raise ValueError(f"it has {len(parts)} fields. {_FORM}, or one of {', '.join(WORDS)}.")
    expression = Expression(_fields(["0", *parts] if len(parts) == 5 else parts))
    if expression.pattern.first(_ORIGIN) is None:
        raise ValueError("no day ever fits its day, month and weekday all together.")
    return expression


def _spelled_out(word: str) -> str:
    known = WORDS.get(word.lower())
    if known is None:
        raise ValueError(f"{word} is none of the words there are: {', '.join(WORDS)}.")
    return known


def _fields(parts: list[str]) -> CronSim:
    # Some write a question mark where the other field says which day it is.
    for place in (3, 5):
        if parts[place] == "?":
            parts[place] = "*"
    try:
        return CronSim(" ".join(parts), _ANY_DAY)
    except (CronSimError, ValueError, AssertionError) as error:
        raise ValueError(_complaint(str(error), parts)) from error


def _complaint(told: str, parts: list[str]) -> str:
    field = _FIELDS.get(told.removeprefix("Bad "))
    if field is None:
        return f"{told or 'it cannot be read'}. {_FORM}."
    place, name, allowed = field
    if name == "day of the month" and _is_day(parts[place]):
        return f"no month {parts[4]} has a day {parts[place]}, so it would never be due."
    return (
        f"its field for the {name} is {parts[place]!r}. There may stand {allowed}; * for all, lists with commas, "
        f"ranges like 1-5, and steps like */10."
    )


def _is_day(part: str) -> bool:
    try:
        CronSim(f"0 0 0 {part} * *", _ANY_DAY)
    except (CronSimError, ValueError, AssertionError):
        return False
    return True
