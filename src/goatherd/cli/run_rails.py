"""Steps and what each comes after, as rails: a row for each step, and lines that lead down to those after it.

    ● asr
    ├─╮
    │ ● subtitles
    │ │
    ● │ translate
    ├─╯
    ● mux

Each step whose followers are still to come has a rail of its own, straight down from its node; a rail never changes its
column. The row above a node is for that node alone: whatever rail is joined to the line in it leads to the node. A
rail that only has to cross the line interrupts it: `─│─`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

#: What is drawn for the directions in which lines leave a place.
BOXES = {
    0: " ",
    UP | DOWN: "│",
    LEFT | RIGHT: "─",
    DOWN | RIGHT: "╭",
    DOWN | LEFT: "╮",
    UP | RIGHT: "╰",
    UP | LEFT: "╯",
    UP | DOWN | RIGHT: "├",
    UP | DOWN | LEFT: "┤",
    DOWN | LEFT | RIGHT: "┬",
    UP | LEFT | RIGHT: "┴",
    UP | DOWN | LEFT | RIGHT: "┼",
}
#: The same where there are no such characters.
PLAIN = dict.fromkeys(BOXES, "+") | {0: " ", UP | DOWN: "|", LEFT | RIGHT: "-"}


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the drawing: what leaves each column, and from which to which a line goes across."""

    arms: tuple[int, ...]
    across: tuple[int, int] = (0, 0)
    #: The step whose node is in this row, and where; None between nodes.
    step: str | None = None
    column: int = 0

    def drawn(self, glyphs: Mapping[int, str], node: str = "") -> str:
        """The row as text, with something for the node."""
        first, last = self.across
        parts = []
        for column, arms in enumerate(self.arms):
            is_node = self.step is not None and column == self.column
            parts += [node if is_node else glyphs[arms], glyphs[LEFT | RIGHT] if first <= column < last else " "]
        return "".join(parts[:-1])


def rails(before: Mapping[str, Collection[str]]) -> list[Row]:
    """The drawing, given what each step comes after; whatever is named but not a key is left out.

    Nodes come in the order of the keys, as far as that lets none come before what it is after.
    """
    track = _Track({step: [each for each in dict.fromkeys(named) if each in before] for step, named in before.items()})
    for step in _in_order(track.before):
        track.add(step)
    return track.rows


def beneath(rows: Sequence[Row], place: int) -> Row:
    """What goes on under a row, for lines of text between it and the next."""
    following = rows[place + 1].arms if place + 1 < len(rows) else ()
    return Row(arms=tuple(UP | DOWN if arms & UP else 0 for arms in following))


def width_of(rows: Sequence[Row]) -> int:
    """Columns of text that the drawing takes."""
    return max((2 * len(row.arms) - 1 for row in rows), default=0)


class _Track:
    """A drawing that grows downwards."""

    def __init__(self, before: Mapping[str, Sequence[str]]) -> None:
        self.before = before
        self.rows: list[Row] = []
        #: Whose rail is in each column.
        self._rails: list[str | None] = []
        #: How many followers of each step are still to come.
        self._left = dict.fromkeys(before, 0)
        for named in before.values():
            for each in named:
                self._left[each] += 1

    def add(self, step: str) -> None:
        """Draw the next step, whose predecessors are all drawn."""
        joined = {self._rails.index(each): each for each in self.before[step]}
        for each in joined.values():
            self._left[each] -= 1
        ending = {column for column, each in joined.items() if not self._left[each]}
        place = min(ending) if ending else self._free()
        if self.rows:
            self.rows.append(self._way(set(joined), ending, place))
        for column in ending:
            self._rails[column] = None
        self._rails[place] = step
        self.rows.append(Row(arms=self._straight(), step=step, column=place))
        if not self._left[step]:
            self._rails[place] = None
        while self._rails and self._rails[-1] is None:
            self._rails.pop()

    def _free(self) -> int:
        if None not in self._rails:
            self._rails.append(None)
        return self._rails.index(None)

    def _straight(self) -> tuple[int, ...]:
        return tuple(UP | DOWN if rail is not None else 0 for rail in self._rails)

    def _way(self, joined: set[int], ending: set[int], place: int) -> Row:
        """The row above a node."""
        ends = joined | {place} if joined else set()
        first, last = (min(ends), max(ends)) if ends else (0, 0)
        arms = []
        for column, rail in enumerate(self._rails):
            here = 0
            if rail is not None:
                here |= UP if column in ending else UP | DOWN
            if column == place and joined:
                here |= DOWN
            if column in ends or (rail is None and first < column < last):
                here |= (LEFT if column > first else 0) | (RIGHT if column < last else 0)
            arms.append(here)
        return Row(arms=tuple(arms), across=(first, last))


def _in_order(before: Mapping[str, Sequence[str]]) -> list[str]:
    """The steps, none before what it is after; raises ValueError if they go round in a circle."""
    waiting, placed = list(before), dict[str, None]()
    while waiting:
        step = next((each for each in waiting if all(one in placed for one in before[each])), None)
        if step is None:
            raise ValueError(f"These steps come after each other in a circle: {', '.join(waiting)}.")
        waiting.remove(step)
        placed[step] = None
    return list(placed)
