"""Which hold queue a delayed message waits in: a fixed geometric grid."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice

SHORTEST = 100
#: About a year.
LONGEST = 32_000_000_000
#: Milliseconds up to which one hop is enough, although it may be 25 % late.
ONE_HOP = 10_000
#: Milliseconds below which the rest of a long delay is rounded up.
LAST_HOP = 400
#: Steps of the ladder whose hold queues are all made beforehand.
COARSE_STEPS = 16


def grid() -> Iterator[int]:
    """Every step in milliseconds, four to an octave: 100, 125, 150, 175, 200, 250 …"""
    for octave in _octaves():
        for quarter in range(4):
            yield octave * (4 + quarter) // 4


def coarse_grid() -> tuple[int, ...]:
    """The few steps for brokers on which somebody else makes everything: 100, 200, 400 … 3,276,800 ms."""
    return tuple(islice(_octaves(), COARSE_STEPS))


class Grid:
    """The steps that there may be, shortest first."""

    def __init__(self, steps: Sequence[int]) -> None:
        self.steps = steps

    def hold_for(self, milliseconds: float, *, held_before: bool = False) -> int:
        """The step to wait on now: one that is long enough, or the one below, to hop again for the rest.

        Rounding a long delay up would make it up to 25 % late, and twice as long on the coarse grid. Waiting a little
        less first, and then for what remains, is exact: the rest shrinks with each hop until rounding it up costs at
        most a tenth of a second.
        """
        index = bisect_left(self.steps, milliseconds)
        if index == 0 or index == len(self.steps):
            return self.steps[min(index, len(self.steps) - 1)]
        may_be_late = milliseconds / 4 if milliseconds <= (LAST_HOP if held_before else ONE_HOP) else 0.0
        is_close = self.steps[index] - milliseconds <= max(SHORTEST, may_be_late)
        return self.steps[index if is_close else index - 1]


def _octaves() -> Iterator[int]:
    octave = SHORTEST
    while octave <= LONGEST:
        yield octave
        octave *= 2


#: For hold queues that are made when they are needed, and for those that are there beforehand.
FINE, COARSE = Grid(list(grid())), Grid(coarse_grid())
