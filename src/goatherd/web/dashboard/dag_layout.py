"""Where the steps of a graph stand: in columns from left to right, in an order in which few lines cross.

A line that passes a column gets a place there, as a step would, so that it goes between the steps and not behind them.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

#: How often columns are put in order, and how often their steps are moved to the middle of their neighbours.
SWEEPS, MOVES = 8, 12

#: A step by its name, or the place of a line on its way: whose it is, and in which column.
Spot: TypeAlias = str | tuple[str, str, int]
#: All places of a line, from its step to the one that waits for it.
Way: TypeAlias = Sequence[Spot]


def way_of(source: str, target: str, ranks: Mapping[str, int]) -> list[Spot]:
    """The places of a line, one in each column that it passes."""
    between: list[Spot] = [(source, target, rank) for rank in range(ranks[source] + 1, ranks[target])]
    return [source, *between, target]


def columns_of(ranks: Mapping[str, int], ways: Sequence[Way]) -> list[list[Spot]]:
    """What stands in each column, from above."""
    columns: list[list[Spot]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for name, rank in ranks.items():
        columns[rank].append(name)
    for way in ways:
        for spot in way[1:-1]:
            assert isinstance(spot, tuple), "only the ends of a line are steps"
            columns[spot[2]].append(spot)
    beside = _beside(ways)
    for sweep in range(SWEEPS):
        rows = {spot: float(place) for column in columns for place, spot in enumerate(column)}
        for column in columns if sweep % 2 == 0 else reversed(columns):
            middles = {spot: _middle(spot, beside, rows) for spot in column}
            column.sort(key=middles.__getitem__)
            rows |= {spot: float(place) for place, spot in enumerate(column)}
    return columns


def heights_of(
    columns: Sequence[Sequence[Spot]], ways: Sequence[Way], sizes: Mapping[Spot, float], gap: float
) -> dict[Spot, float]:
    """The middle of each, as near to those of its neighbours as the others in its column let it be."""
    beside = _beside(ways)
    middles: dict[Spot, float] = {}
    for column in columns:
        offsets = _offsets(column, sizes, gap)
        middles |= {spot: place - (offsets[-1] / 2) for spot, place in zip(column, offsets, strict=True)}
    for move in range(MOVES):
        for column in columns if move % 2 == 0 else reversed(columns):
            wanted = [_middle(spot, beside, middles) for spot in column]
            middles |= zip(column, _settled(wanted, _offsets(column, sizes, gap)), strict=True)
    return middles


def _beside(ways: Iterable[Way]) -> dict[Spot, list[Spot]]:
    beside: dict[Spot, list[Spot]] = {}
    for way in ways:
        for left, right in pairwise(way):
            beside.setdefault(left, []).append(right)
            beside.setdefault(right, []).append(left)
    return beside


def _middle(spot: Spot, beside: Mapping[Spot, Sequence[Spot]], places: Mapping[Spot, float]) -> float:
    near = [places[other] for other in beside.get(spot, ())]
    return sum(near) / len(near) if near else places[spot]


def _offsets(column: Sequence[Spot], sizes: Mapping[Spot, float], gap: float) -> list[float]:
    """How far below the first each stands at least, from middle to middle."""
    told = [0.0]
    for above, below in pairwise(column):
        told.append(told[-1] + (sizes[above] + sizes[below]) / 2 + gap)
    return told


def _settled(wanted: Sequence[float], offsets: Sequence[float]) -> list[float]:
    """As near to where they want to be as they can in this order: those that would overlap stand as a block, in the
    middle of what they want together."""
    blocks: list[tuple[float, int]] = []
    for place, offset in zip(wanted, offsets, strict=True):
        total, count = place - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            above, many = blocks.pop()
            total, count = total + above, count + many
        blocks.append((total, count))
    firsts = [total / count for total, count in blocks for _ in range(count)]
    return [first + offset for first, offset in zip(firsts, offsets, strict=True)]
