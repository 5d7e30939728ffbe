"""Which hold queue a delay waits in."""

from hypothesis import given
from hypothesis import strategies as st

from goatherd.adapters.rabbitmq.delays import LAST_HOP, ONE_HOP, SHORTEST, grid, hold_for


@given(st.floats(1, ONE_HOP))
def test_a_short_delay_takes_one_hop_never_early_and_at_most_a_quarter_late(milliseconds: float) -> None:
    step = hold_for(milliseconds)
    assert step >= milliseconds
    assert step <= max(SHORTEST, milliseconds * 1.25)


@given(st.floats(ONE_HOP + 1, 10_000_000_000))
def test_a_long_delay_hops_until_it_is_due_and_is_almost_exact(milliseconds: float) -> None:
    waited, hops = float(hold_for(milliseconds)), 1
    while waited < milliseconds:
        waited += hold_for(milliseconds - waited, held_before=True)
        hops += 1
    assert waited - milliseconds <= max(SHORTEST, LAST_HOP * 0.25)
    assert hops <= 25


def test_the_grid_has_four_steps_to_an_octave() -> None:
    assert list(grid())[:9] == [100, 125, 150, 175, 200, 250, 300, 350, 400]
