"""Spans of time as users write them."""

import math
from datetime import timedelta
from typing import TypeAlias

from goatherd.errors import DefinitionError

Seconds: TypeAlias = float | timedelta


def seconds(value: Seconds) -> float:
    """The span as a plain number of seconds; raises ValueError for what is none."""
    try:
        span = value.total_seconds() if isinstance(value, timedelta) else float(value)
    except (TypeError, ValueError, OverflowError):
        span = math.nan
    if not math.isfinite(span):
        raise ValueError(f"{value!r} is not a span of time; give a number of seconds or a timedelta.")
    return span


def declared_span(name: str, value: Seconds) -> float:
    """A time in a declaration, as seconds; raises DefinitionError."""
    try:
        return seconds(value)
    except ValueError as error:
        raise DefinitionError(f"{name}: {error}") from error
