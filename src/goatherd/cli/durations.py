"""Spans of time as people type and read them: 90s, 1h30m, 2d."""

from __future__ import annotations

import re
from datetime import datetime

import click

_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|[dhms])")


class Duration(click.ParamType[float]):
    """A span such as 90, 90s, 1h30m or 2d, in seconds."""

    name = "duration"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it; a plain number is seconds."""
        if isinstance(value, float):
            return value
        text = str(value).strip().lower()
        try:
            return _seconds(text)
        except ValueError:
            self.fail(f"{value!r} is no span of time; write for example 90s, 1h30m or 2d.", param, ctx)


class Moment(click.ParamType[datetime]):
    """A point in time, such as 2030-01-31T09:00 (here) or 2030-01-31T09:00Z."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        """Read it; a time without a zone is in the zone of this machine."""
        if isinstance(value, datetime):
            return value
        try:
            return datetime.fromisoformat(str(value)).astimezone()
        except ValueError:
            self.fail(f"{value!r} is no time; write for example 2030-01-31T09:00 or 2030-01-31T09:00Z.", param, ctx)


def spoken(seconds: float) -> str:
    """A span for a table: the two largest units at most."""
    if seconds < 1:
        return f"{seconds * 1000:.0f}ms" if seconds >= 0.001 else "under 1ms"
    if seconds < 60:
        return f"{int(seconds)}s"
    minutes, hours, days = int(seconds // 60), int(seconds // 3600), int(seconds // 86400)
    if minutes < 60:
        return f"{minutes}m{int(seconds % 60):02d}s"
    if hours < 24:
        return f"{hours}h{minutes % 60:02d}m"
    return f"{days}d{hours % 24:02d}h"


def _seconds(text: str) -> float:
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    if not re.fullmatch(rf"({_PART.pattern}\s*)+", text):
        raise ValueError(text)
    return sum(float(count) * _UNITS[unit] for count, unit in _PART.findall(text))
