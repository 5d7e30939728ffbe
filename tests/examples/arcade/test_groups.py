"""Who plays with whom."""

from hypothesis import given
from hypothesis import strategies as st

from examples.arcade.batch.groups import Waiting, groups


def waiting(*ratings: int) -> list[Waiting]:
    return [Waiting(f"t{n}", n, rating, float(n)) for n, rating in enumerate(ratings)]


def test_those_whose_ratings_are_near_play_together() -> None:
    found = groups(waiting(1000, 1500, 1040, 1530), 2, 50)
    assert [[one.rating for one in group] for group in found] == [[1000, 1040], [1500, 1530]]


def test_nobody_plays_with_somebody_far_away() -> None:
    assert groups(waiting(1000, 1051), 2, 50) == []
    assert [len(group) for group in groups(waiting(900, 1000, 1040, 1050), 3, 50)] == [3]


def test_a_player_who_waits_twice_does_not_play_with_herself() -> None:
    same = [Waiting("a", 7, 1000, 1.0), Waiting("b", 7, 1000, 2.0)]
    assert groups(same, 2, 50) == []


@given(st.lists(st.integers(0, 3000), max_size=60), st.integers(2, 5), st.integers(0, 400))
def test_groups_are_whole_near_and_apart(ratings: list[int], count: int, band: int) -> None:
    everybody = waiting(*ratings)
    found = groups(everybody, count, band)
    seated = [one.player_id for group in found for one in group]
    assert len(seated) == len(set(seated))
    for group in found:
        assert len(group) == count
        assert max(one.rating for one in group) - min(one.rating for one in group) <= band
    # Nobody is left waiting beside somebody who would have fitted.
    left = [one for one in everybody if one.player_id not in seated]
    assert groups(left, count, band) == []
