"""Texts that are too long are translated in parts."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.dubbing.providers.provider import Heard
from examples.dubbing.worker.hearing import in_segments
from examples.dubbing.worker.translating import in_parts, parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Short one.", ["Short one."]),
        ("The first one. The second. Third", ["The first one.", "The second. Third"]),
        ("when it is long, then a comma will do", ["when it is long,", "then a comma will do"]),
        ("words and words and words and words", ["words and words and", "words and words"]),
        ("a" * 45, ["a" * 20, "a" * 20, "a" * 5]),
    ],
)
def test_texts_are_parted_where_it_hurts_least(text: str, expected: list[str]) -> None:
    assert parts(text, 20) == expected


@given(st.text(alphabet="ab .,;!?\n", max_size=200), st.integers(1, 60))
def test_no_part_is_too_long_and_no_word_is_lost(text: str, limit: int) -> None:
    made = parts(text, limit)
    assert all(len(part) <= limit for part in made)
    assert "".join("".join(made).split()) == "".join(text.split())


async def test_parts_are_put_together_again() -> None:
    class Shouting:
        def __init__(self) -> None:
            self.asked: list[str] = []

        async def translate(self, texts: Sequence[str], source: str, target: str) -> Sequence[str]:
            self.asked += texts
            return [text.upper() for text in texts]

    shouting = Shouting()
    texts = ["One. Two.", "Three three. Four four four.", ""]
    assert await in_parts(shouting, texts, ("en", "es"), 20) == ["ONE. TWO.", "THREE THREE. FOUR FOUR FOUR.", ""]
    assert shouting.asked == ["One. Two.", "Three three.", "Four four four.", ""]
    assert await in_parts(shouting, [], ("en", "es"), 20) == []


def test_a_segment_has_time_until_the_next_one() -> None:
    heard = [Heard(1.0, 2.0, " One "), Heard(4.0, 6.5, "Two"), Heard(6.0, 8.0, "Three")]
    made = in_segments(heard, 10.0)
    assert [(one.idx, one.room, one.src_text) for one in made] == [(0, 3.0, "One"), (1, 2.5, "Two"), (2, 4.0, "Three")]
    assert in_segments([], 10.0) == []
