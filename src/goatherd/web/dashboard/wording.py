"""Numbers and times as the pages show them."""

import json
from datetime import UTC, datetime
from typing import Any

MINUTE, HOUR, DAY = 60, 3600, 86400
#: A dash for what is not known.
UNKNOWN = "\N{EN DASH}"


def number(value: float | None) -> str:
    """`12 345`, with narrow spaces that do not break; a dash for what is not known."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}".replace(",", "\u202f")


def short_number(value: float | None) -> str:
    """`12.3k`, where there is little room."""
    if value is None:
        return UNKNOWN
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if letter == 'k' else size):.3g}{letter}"
    return number(value)


def counted(many: int, word: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{number(many)} {word}{'' if many == 1 else 's'}"


def rate(value: float | None) -> str:
    """Of something in a second: `0.4`, `12`, `3 400`."""
    if value is None:
        return UNKNOWN
    if value and abs(value) < 10:
        return f"{value:.1f}" if abs(value) >= 0.05 else "<0.1"
    return number(value)


def seconds(value: float | None) -> str:
    """A length of time in two of its largest units at most: `850 ms`, `12 s`, `3 min 5 s`, `2 h`, `4 d`."""
    if value is None:
        return UNKNOWN
    value = abs(value)
    if value < 1:
        return f"{value * 1000:.0f} ms"
    if value < 10:
        return f"{value:.1f} s"
    whole = round(value)
    for size, name, less, below in ((DAY, "d", HOUR, "h"), (HOUR, "h", MINUTE, "min"), (MINUTE, "min", 1, "s")):
        if whole >= size:
            rest = whole % size // less
            return f"{whole // size} {name}" + (f" {rest} {below}" if rest else "")
    return f"{whole} s"


def about(value: float) -> str:
    """A length of time in one unit."""
    for size, name in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if value >= 1.5 * size:
            return f"{value / size:.0f} {name}"
    return f"{value:.0f} s"


def size(value: float | None) -> str:
    """Bytes: `512 B`, `1.5 MB`."""
    if value is None:
        return UNKNOWN
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 1000:
            return (
                f"{value:.0f}\N{NO-BREAK SPACE}{unit}"
                if unit == "B" or value >= 100
                else f"{value:.1f}\N{NO-BREAK SPACE}{unit}"
            )
        value /= 1000
    return f"{value:.1f} TB"


def now() -> datetime:
    """This moment."""
    return datetime.now(UTC)


def moment(value: datetime | float | None) -> datetime | None:
    """A time, however it is told."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else value


def since(value: datetime | float | None, now: datetime) -> str:
    """How long ago it was, or in how long it will be."""
    when = moment(value)
    if when is None:
        return UNKNOWN
    apart = (now - when).total_seconds()
    if abs(apart) < 1:
        return "now"
    told = seconds(apart) if abs(apart) >= 10 else f"{abs(apart):.0f} s"
    return f"{told} ago" if apart > 0 else f"in {told}"


def clock_time(value: datetime | float | None) -> str:
    """The moment itself, for those who want to know exactly; in UTC, as logs have it."""
    when = moment(value)
    return UNKNOWN if when is None else f"{when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def machine_time(value: datetime | float | None) -> str:
    """The moment as programs read it."""
    when = moment(value)
    return "" if when is None else when.astimezone(UTC).isoformat(timespec="milliseconds")


def brief(value: Any) -> str:
    """JSON on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def pretty(value: Any) -> str:
    """JSON for people; text that is JSON is taken for what it says."""
    if isinstance(value, bytes | str):
        try:
            value = json.loads(value)
        except ValueError:
            return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
