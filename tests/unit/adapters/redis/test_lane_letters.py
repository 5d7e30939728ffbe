"""Letters of lanes have ids like all others, from which their numbers can be told."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goatherd.adapters.redis.lane_letters import letter_id, number_of

NOW = 1_794_769_091_702_739


@given(st.integers(0, 2**53))
def test_an_id_tells_its_number(number: int) -> None:
    assert number_of(letter_id(number)) == number


@given(st.integers(NOW, 2 * NOW), st.integers(1, 10**9))
def test_ids_sort_by_time_and_differ_at_their_end(number: int, later: int) -> None:
    assert letter_id(number) < letter_id(number + later)
    assert letter_id(number)[-12:] != letter_id(number + later)[-12:]


def test_an_id_looks_like_that_of_a_job() -> None:
    assert re.fullmatch(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}", letter_id(NOW))


@pytest.mark.parametrize("letter", ["", "no such letter", "01a1e092-fcba-711c-8000-000000000000", letter_id(NOW) + "0"])
def test_other_ids_have_no_number(letter: str) -> None:
    assert number_of(letter) is None
