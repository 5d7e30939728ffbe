"""Amounts: what a cook writes in one of many ways is read as the number that was meant."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from examples.kitchen.ai.recipe import Amount
from examples.kitchen.ai.rules.amounts import WORDS, read_amount, take_amount
from examples.kitchen.ai.rules.tidy import FRACTIONS, tidy

Write = Callable[[Fraction], str]

SIGNS = {Fraction(plain): sign for sign, plain in FRACTIONS.items()}

kitchen_numbers = st.builds(Fraction, st.integers(1, 400), st.sampled_from([1, 2, 3, 4, 5, 8, 10]))


def amount(low: Fraction, high: Fraction | None = None) -> Amount:
    return Amount(round(float(low), 4), round(float(low if high is None else high), 4))


def mixed(number: Fraction) -> str:
    whole, broken = divmod(number, 1)
    return " ".join(str(part) for part in (whole, broken) if part)


def with_sign(number: Fraction) -> str:
    whole, broken = divmod(number, 1)
    sign = SIGNS.get(broken, f" {broken}" if broken else "")
    return f"{whole or ''}{sign}".strip()


def with_point(number: Fraction) -> str:
    assume((number * 1000).denominator == 1)
    return f"{float(number):.3f}".rstrip("0").rstrip(".")


def with_comma(number: Fraction) -> str:
    written = with_point(number)
    assume(len(written.partition(".")[2]) < 3)  # "2,125" are two thousand to an English reader
    return written.replace(".", ",")


ways = st.sampled_from([mixed, with_sign, with_point, with_comma])


@given(kitchen_numbers, ways)
def test_a_number_is_read_as_it_was_written(number: Fraction, write: Write) -> None:
    assert read_amount(tidy(write(number))) == amount(number)


@given(kitchen_numbers, kitchen_numbers, ways, st.sampled_from(["-", " - ", "\u2013", " to ", " or "]))
def test_a_range_is_read_as_it_was_written(low: Fraction, more: Fraction, write: Write, between: str) -> None:
    assert read_amount(tidy(f"{write(low)}{between}{write(low + more)}")) == amount(low, low + more)


@given(kitchen_numbers, ways, st.sampled_from([" g", "g", " cups", " (14 oz) cans", ""]))
def test_an_amount_is_taken_from_the_start(number: Fraction, write: Write, rest: str) -> None:
    assert take_amount(tidy(f"{write(number)}{rest}")) == (amount(number), rest.strip())


@given(st.text(st.sampled_from("0123456789/.,- ½¼ao")))
def test_no_amount_is_too_strange_to_read(text: str) -> None:
    found, rest = take_amount(tidy(text))
    assert found is None or 0 <= found.low <= found.high
    assert rest in tidy(text)


@pytest.mark.parametrize("word", WORDS)
def test_numbers_in_words(word: str) -> None:
    found, rest = take_amount(f"{word.capitalize()} cups")
    assert (found, rest) == (amount(Fraction(WORDS[word])), "cups")


@pytest.mark.parametrize(
    ("written", "low", "high"),
    [("1-1/2", 1.5, 1.5), ("1,000", 1000, 1000), ("1 and 1/2", 1.5, 1.5), ("two or three", 2, 3), ("4-3", 3, 4)],
)
def test_ways_of_their_own(written: str, low: float, high: float) -> None:
    assert read_amount(written) == Amount(low, high)


@pytest.mark.parametrize("written", ["1/0", "0/0", "123456789", "x2", "", "half-and-half", "1.2.3", "v2"])
def test_what_is_no_amount(written: str) -> None:
    assert take_amount(written) == (None, written)
