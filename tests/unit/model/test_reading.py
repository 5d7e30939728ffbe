"""From which positions a log can be resumed."""

import pytest

from goatherd.model.event import BEGINNING, Position
from goatherd.model.reading import Kept

WHOLE = Kept(epoch="b", first=1, top=5)
TRIMMED = Kept(epoch="b", first=4, top=9)
EMPTY = Kept(epoch="b", first=6, top=5)


@pytest.mark.parametrize(
    ("kept", "follows"),
    [(WHOLE, [0, 1, 4, 5]), (TRIMMED, [3, 4, 9]), (EMPTY, [5])],
)
def test_everything_after_it_must_be_kept(kept: Kept, follows: list[int]) -> None:
    for seq in range(12):
        wanted = kept.first - 1 <= seq <= kept.top
        assert kept.follows(Position("b", seq)) == wanted
        assert wanted or seq not in follows


def test_the_beginning_can_be_resumed_from_while_the_first_event_is_kept() -> None:
    assert WHOLE.follows(BEGINNING)
    assert not TRIMMED.follows(BEGINNING)


def test_another_epoch_is_another_history() -> None:
    assert not WHOLE.follows(Position("a", 3))


def test_a_history_that_may_have_lost_its_end_is_known_up_to_there() -> None:
    """The store was at 7 when it was asked again; what a reader had seen beyond it was lost and written anew."""
    kept = Kept(epoch="b", first=1, top=20, former_epoch="a", former_top=7)
    assert [seq for seq in range(1, 21) if kept.follows(Position("a", seq))] == [1, 2, 3, 4, 5, 6, 7]
    assert all(kept.follows(Position("b", seq)) for seq in range(1, 21))
    assert not kept.follows(Position("c", 3))
