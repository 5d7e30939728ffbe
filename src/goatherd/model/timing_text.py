"""When a schedule is due, as somebody writes it who does not write the program."""

import re
from typing import Any

import msgspec

from goatherd.model.schedule import Cron, Timing
from goatherd.model.timing import timing_problem

_UNITS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SPAN = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(ms|s|m|h|)", re.IGNORECASE | re.ASCII)


def told_timing(timing: Timing, value: Any) -> Timing:
    """The timing with another expression, or with another number of seconds; raises ValueError."""
    told: Timing
    if isinstance(timing, Cron):
        if not isinstance(value, str):
            raise ValueError("a cron expression is expected, such as '0 0 2 * * *', or '-' for never.")
        told = msgspec.structs.replace(timing, expression=value.strip())
    else:
        told = msgspec.structs.replace(timing, seconds=_seconds(value))
    problem = timing_problem(told)
    if problem is not None:
        raise ValueError(problem)
    return told


def _seconds(value: Any) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    found = _SPAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise ValueError("a number of seconds is expected, or a text with a unit: 5000ms, 5s, 1.5m, 2h.")
    number, unit = found.groups()
    return round(float(number) * _UNITS[unit.lower()], 6)
