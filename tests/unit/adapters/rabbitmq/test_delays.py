"""Which hold queue a delay waits in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.adapters.rabbitmq.delays import COARSE, FINE, ONE_HOP, SHORTEST, Grid, coarse_grid, grid


def hops(grid: Grid, milliseconds: float) -> list[int]:
    """All the waits of one delay."""
    waits = [grid.hold_for(milliseconds)]
    while sum(waits) < milliseconds:
        waits.append(grid.hold_for(milliseconds - sum(waits), held_before=True))
    return waits


@given(st.floats(1, ONE_HOP))
def test_a_short_delay_takes_one_hop_never_early_and_at_most_a_quarter_late(milliseconds: float) -> None:
    step = FINE.hold_for(milliseconds)
    assert step >= milliseconds
    assert step <= max(SHORTEST, milliseconds * 1.25)


@given(st.floats(ONE_HOP + 1, 10_000_000_000))
def test_a_long_delay_hops_until_it_is_due_and_is_almost_exact(milliseconds: float) -> None:
    waits = hops(FINE, milliseconds)
    assert sum(waits) - milliseconds <= SHORTEST
    assert len(waits) <= 25


@given(st.floats(1, 10_000_000_000))
def test_on_the_coarse_grid_any_delay_is_as_exact_but_takes_more_hops(milliseconds: float) -> None:
    waits = hops(COARSE, milliseconds)
    may_be_late = milliseconds / 4 if milliseconds <= ONE_HOP else 0
    assert sum(waits) - milliseconds <= max(SHORTEST, may_be_late)
    assert len(waits) <= milliseconds // coarse_grid()[-1] + len(coarse_grid())


@pytest.mark.parametrize("grid", [FINE, COARSE])
@pytest.mark.parametrize("held_before", [False, True])
def test_what_is_due_already_waits_as_short_as_possible(grid: Grid, held_before: bool) -> None:
    assert [grid.hold_for(late, held_before=held_before) for late in (-5_000.0, -1.0, 0.0)] == [SHORTEST] * 3


def test_the_grid_has_four_steps_to_an_octave() -> None:
    assert list(grid())[:9] == [100, 125, 150, 175, 200, 250, 300, 350, 400]


def test_the_coarse_grid_has_sixteen_steps_up_to_almost_an_hour() -> None:
    steps = coarse_grid()
    assert (len(steps), steps[:3], steps[-1]) == (16, (100, 200, 400), 3_276_800)
    assert set(steps) <= set(grid()), "what waits in one is found by whoever uses the other"
