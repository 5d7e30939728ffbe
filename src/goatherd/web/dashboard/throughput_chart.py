"""The drawing of what was done over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from goatherd.desk.throughput import ThroughputPoint
from goatherd.web.dashboard.charts import Bar, nice_top, stacked
from goatherd.web.dashboard.wording import clock_time, number, seconds

WIDTH, HEIGHT = 720, 150
#: Parts of a column, from below.
TONES = ("accent", "warn", "bad")
#: Seconds that the newest span must have lasted to tell a rate.
LONG_ENOUGH = 8.0


@dataclass(frozen=True)
class Column:
    """What was done in one span of time."""

    told: str
    #: With the tone of each.
    bars: tuple[tuple[str, Bar], ...]


@dataclass(frozen=True)
class Chart:
    """Ready to be drawn."""

    columns: tuple[Column, ...]
    #: The upper end of the scale, and the highest rate.
    top: float
    peak: float
    #: How long ago it begins, in seconds.
    span: float
    width: int = WIDTH
    height: int = HEIGHT


def chart_of(points: Sequence[ThroughputPoint], now: datetime) -> Chart:
    """Jobs per second; the newest span as far as it has come."""
    lasted = [min(point.seconds, max(0.0, (now - point.at).total_seconds())) for point in points]
    rates = [
        _rates(point, long) if long >= LONG_ENOUGH else (0.0, 0.0, 0.0)
        for point, long in zip(points, lasted, strict=True)
    ]
    totals = [sum(each) for each in rates]
    top = nice_top(totals)
    drawn = stacked(rates, WIDTH, HEIGHT, top)
    columns = [
        Column(_told(point, long), tuple((tone, bar) for tone, bar in zip(TONES, bars, strict=True) if bar.height))
        for point, long, bars in zip(points, lasted, drawn, strict=True)
        if any(bar.height for bar in bars)
    ]
    span = (now - points[0].at).total_seconds() if points else 0.0
    return Chart(tuple(columns), top, max(totals, default=0.0), span)


def _rates(point: ThroughputPoint, long: float) -> tuple[float, float, float]:
    return point.done / long, point.retried / long, (point.failed + point.dead) / long


def _told(point: ThroughputPoint, long: float) -> str:
    badly = point.failed + point.dead
    what = f"{number(point.done)} done, {number(point.retried)} tried again, {number(badly)} failed"
    return f"{clock_time(point.at)}: {what} in {seconds(long)}"
