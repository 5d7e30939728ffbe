"""Spans of time as users write them."""

from datetime import timedelta
from typing import TypeAlias

Seconds: TypeAlias = float | timedelta


def seconds(value: Seconds) -> float:
    """The span as a plain number of seconds."""
    return value.total_seconds() if isinstance(value, timedelta) else float(value)
