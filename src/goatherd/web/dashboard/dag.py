"""A run as a drawing: steps in columns from left to right, and lines from each to those that wait for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from goatherd.desk.run_facts import RunDetail, StepFacts
from goatherd.web.dashboard.dag_layout import Spot, columns_of, heights_of, way_of

#: Of a step, of a line that passes a column, and of the room between two.
WIDTH, HEIGHT, THIN = 162, 58, 10
ACROSS, BETWEEN = 38, 18
MARGIN = 8


@dataclass(frozen=True)
class Node:
    """A step, from its upper left corner."""

    step: StepFacts
    x: int
    y: int
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class Line:
    """The way from a step to one that waits for it."""

    source: str
    target: str
    path: str
    #: Whether what it waits for is over.
    is_open: bool


@dataclass(frozen=True)
class Graph:
    """Ready to be drawn."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    width: int
    height: int


def graph_of(run: RunDetail) -> Graph:
    """Where each step stands, and how the lines go."""
    ranks = {step.name: step.rank for step in run.steps}
    known = [(edge.source, edge.target) for edge in run.edges if edge.source in ranks and edge.target in ranks]
    ways = [way_of(source, target, ranks) for source, target in dict.fromkeys(known)]
    columns = columns_of(ranks, ways)
    places, height = _places(columns, ways)
    states = {step.name: step.state for step in run.steps}
    return Graph(
        nodes=tuple(_node(step, *places[step.name]) for step in run.steps),
        lines=tuple(
            Line(str(way[0]), str(way[-1]), _path([places[spot] for spot in way]), _is_over(states[str(way[0])]))
            for way in ways
        ),
        width=2 * MARGIN + len(columns) * (WIDTH + ACROSS) - ACROSS if columns else 0,
        height=height,
    )


def _places(
    columns: Sequence[Sequence[Spot]], ways: Sequence[Sequence[Spot]]
) -> tuple[Mapping[Spot, tuple[int, int]], int]:
    """The left side and the middle of each spot, and the height of all."""
    sizes = {spot: float(HEIGHT if isinstance(spot, str) else THIN) for column in columns for spot in column}
    middles = heights_of(columns, ways, sizes, BETWEEN)
    top = min((middles[spot] - size / 2 for spot, size in sizes.items()), default=0.0)
    bottom = max((middles[spot] + size / 2 for spot, size in sizes.items()), default=0.0)
    places = {
        spot: (MARGIN + number * (WIDTH + ACROSS), round(MARGIN + middles[spot] - top))
        for number, column in enumerate(columns)
        for spot in column
    }
    return places, round(bottom - top) + 2 * MARGIN if columns else 0


def _node(step: StepFacts, x: int, middle: int) -> Node:
    return Node(step, x, middle - HEIGHT // 2)


def _is_over(state: str) -> bool:
    return state in ("done", "skipped")


def _path(spots: Sequence[tuple[int, int]]) -> str:
    """A soft line from the right side of the first to the left side of the last, straight through the others."""
    x, y = spots[0][0] + WIDTH, spots[0][1]
    told = [f"M{x} {y}"]
    for place, (left, middle) in enumerate(spots[1:], start=2):
        bend = (left - x) // 2
        told.append(f"C{x + bend} {y} {left - bend} {middle} {left} {middle}")
        x, y = left, middle
        if place < len(spots):
            # Across the column that it only passes.
            x += WIDTH
            told.append(f"H{x}")
    return "".join(told)
