"""Which hold queue a delayed message waits in: a fixed geometric grid, four steps to an octave."""

from collections.abc import Iterator

SHORTEST = 100
#: About a year.
LONGEST = 32_000_000_000
#: Milliseconds up to which one hop is enough, although it may be 25 % late.
ONE_HOP = 10_000
#: Milliseconds below which the rest of a long delay is rounded up.
LAST_HOP = 400


def grid() -> Iterator[int]:
    """Every step in milliseconds: 100, 125, 150, 175, 200, 250 …"""
    octave = SHORTEST
    while octave <= LONGEST:
        for quarter in range(4):
            yield octave * (4 + quarter) // 4
        octave *= 2


_STEPS = list(grid())


def hold_for(milliseconds: float, *, held_before: bool = False) -> int:
    """The step to wait on now: one that is long enough, or for a long wait the one below, to hop again for the rest.

    Rounding a long delay up would make it up to 25 % late. Waiting a little less first, and then for what remains, is
    exact: the rest shrinks with each hop until rounding it up costs at most a tenth of a second.
    """
    above = next((step for step in _STEPS if step >= milliseconds), _STEPS[-1])
    if milliseconds <= (LAST_HOP if held_before else ONE_HOP):
        return above
    return above if above == milliseconds else _STEPS[_STEPS.index(above) - 1]
