"""Small drawings, made here: the shapes of lines and bars as numbers for SVG, which the templates draw."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """One bar, from its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    value: float


def line(values: Sequence[float | None], width: float, height: float, top: float | None = None) -> str:
    """A path through the values from left to right; where one is not known, the line begins anew."""
    highest = top or max((value for value in values if value is not None), default=0) or 1
    step = width / max(1, len(values) - 1)
    told, pen = [], "M"
    for place, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        told.append(f"{pen}{place * step:.1f} {height - min(1, value / highest) * (height - 2) - 1:.1f}")
        pen = "L"
    return "".join(told)


def area(values: Sequence[float | None], width: float, height: float, top: float | None = None) -> str:
    """The same, with all that is below it."""
    known = [value or 0 for value in values]
    path = line(known, width, height, top or max((value for value in values if value is not None), default=0))
    return f"{path}L{width:.1f} {height:.1f}L0 {height:.1f}Z" if path else ""


def bars(values: Sequence[float | None], width: float, height: float, top: float | None = None) -> list[Bar]:
    """A bar for each value that is more than nothing; also the smallest can be seen."""
    highest = top or max((value for value in values if value is not None), default=0) or 1
    step = width / max(1, len(values))
    found = []
    for place, value in enumerate(values):
        if value:
            tall = max(1.5, min(1.0, value / highest) * height)
            found.append(Bar(place * step, height - tall, max(0.6, step - 1), tall, value))
    return found


def nice_top(values: Sequence[float | None]) -> float:
    """A round number that all values stay below, for the scale."""
    highest = max((value for value in values if value is not None), default=0)
    if highest <= 0:
        return 1.0
    size = 1.0
    while size * 10 <= highest:
        size *= 10
    while size > highest:
        size /= 10
    return next(round(step * size, 9) for step in (1, 1.5, 2, 3, 4, 5, 6, 8, 10) if step * size >= highest)


def stacked(columns: Sequence[Sequence[float]], width: float, height: float, top: float) -> list[list[Bar]]:
    """Bars that stand on each other: for each column its parts, from below."""
    step = width / max(1, len(columns))
    found = []
    for place, parts in enumerate(columns):
        bars, base = [], height
        for value in parts:
            tall = min(base, max(1.5, value / top * height)) if value else 0.0
            base -= tall
            bars.append(Bar(place * step, base, max(0.6, step * 0.82), tall, value))
        found.append(bars)
    return found
