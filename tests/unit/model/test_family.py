"""A name becomes a queue and comes back from it."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from goatherd.errors import DefinitionError
from goatherd.model.family import NamePattern


@pytest.mark.parametrize(
    "text", ["", "plain", "{}-{}", "{0}", "{name}", "a{}b}", "x{", "{:03d}", "*{}", "{}" + "x" * 300]
)
def test_a_pattern_has_one_gap_and_makes_a_queue(text: str) -> None:
    with pytest.raises(DefinitionError):
        NamePattern(text=text)


@given(some.integers())
def test_a_number_comes_back_as_a_number(number: int) -> None:
    pattern = NamePattern(text="pool-{}.q", kind=int)
    if len(str(number)) < 150:
        queue = pattern.queue_of(number)
        assert queue == f"pool-{number}.q"
        assert pattern.name_in(queue) == number


@given(some.text(min_size=1, max_size=20))
def test_a_text_comes_back_as_it_was(text: str) -> None:
    pattern = NamePattern(text="pre-{}-post")
    try:
        queue = pattern.queue_of(text)
    except ValueError:
        assert not text.isprintable() or "*" in text or "#" in text
    else:
        assert pattern.name_in(queue) == text


@pytest.mark.parametrize(
    "queue", ["pool-.q", "pool-007.q", "pool-+7.q", "pool-7", "pool-\uff17.q", "spool-7.q", "pool-7.5.q"]
)
def test_a_queue_that_no_number_makes_has_no_name(queue: str) -> None:
    assert NamePattern(text="pool-{}.q", kind=int).name_in(queue) is None


@pytest.mark.parametrize("name", [True, "7", 7.0, None, [7]])
def test_only_a_number_is_a_number(name: object) -> None:
    with pytest.raises(ValueError, match="a number is expected"):
        NamePattern(text="pool-{}", kind=int).queue_of(name)


@pytest.mark.parametrize("name", ["", "a*b", "a#b", "a\nb", "x" * 200, 7, b"a", None])
def test_not_every_text_makes_a_queue(name: object) -> None:
    with pytest.raises(ValueError, match=r"is no name for 'pool-\{\}'"):
        NamePattern(text="pool-{}").queue_of(name)
