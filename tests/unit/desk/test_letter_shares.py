import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.desk.letter_shares import ALL, Share

totals = st.integers(0, 100_000)


@given(totals, st.integers(1, 100))
def test_a_percentage_is_never_none_of_some_and_never_much_more_than_asked(total: int, percent: int) -> None:
    share = Share(percent=percent).of(total)
    assert (share == 0) == (total == 0)
    assert share <= max(1, total * percent / 100)
    assert share > total * percent / 100 - 1


@given(totals, st.integers(1, 100_000))
def test_a_count_is_at_most_all(total: int, count: int) -> None:
    assert Share(count=count).of(total) == min(count, total)


@given(totals)
def test_all_is_all(total: int) -> None:
    assert ALL.of(total) == Share(percent=100).of(total) == total


def test_ten_percent_of_seven_is_one() -> None:
    assert Share(percent=10).of(7) == 1


@pytest.mark.parametrize(("count", "percent"), [(1, 1), (0, None), (-1, None), (None, 0), (None, 101)])
def test_what_cannot_be_meant(count: int | None, percent: int | None) -> None:
    with pytest.raises(ValueError, match="dead letters"):
        Share(count=count, percent=percent)
