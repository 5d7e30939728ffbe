"""Amounts as people write them: "2", "1 1/2", "½", "2,5", "3-4", "two or three", "half a dozen"."""

import re
from fractions import Fraction

from examples.kitchen.ai.recipe import Amount

WORDS: dict[str, int | Fraction] = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "half a dozen": 6, "a dozen": 12, "one dozen": 12, "two dozen": 24, "a couple of": 2, "a couple": 2,
    "one and a half": Fraction(3, 2), "two and a half": Fraction(5, 2), "three quarters of a": Fraction(3, 4),
    "half a": Fraction(1, 2), "half an": Fraction(1, 2), "a half": Fraction(1, 2), "half": Fraction(1, 2),
    "a quarter of a": Fraction(1, 4), "a quarter": Fraction(1, 4), "quarter of a": Fraction(1, 4),
    "a third of a": Fraction(1, 3), "a third": Fraction(1, 3),
}  # fmt: skip

_DIGITS = (
    r"(?<![0-9A-Za-z.,/])"
    r"(?:[0-9]{1,4} (?:and |& )?[0-9]{1,2}/[0-9]{1,2}|[0-9]{1,4}/[0-9]{1,2}"
    r"|[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,5}(?:[.,][0-9]{1,3})?)"
    r"(?![0-9/]|[.,][0-9])"
)
_SPELLED = r"\b(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + r")\b(?!-)"
_NUMBER = rf"(?:{_DIGITS}|{_SPELLED})"

#: The pattern of an amount in tidy text, for use in larger patterns with re.IGNORECASE; it has no groups.
AMOUNT = rf"(?:{_NUMBER}(?: ?(?:-|to\b|or\b) ?{_NUMBER})?)"

_AT_START = re.compile(rf"(?:(?:about|approx\.?|approximately|around|roughly|ca\.?|~) ?)?({AMOUNT})", re.IGNORECASE)
_RANGE = re.compile(rf"({_NUMBER}) ?(?:-|to\b|or\b) ?(.+)", re.IGNORECASE)


def take_amount(text: str) -> tuple[Amount | None, str]:
    """The amount at the start of a tidy text, and what follows it."""
    found = _AT_START.match(text)
    amount = read_amount(found[1]) if found else None
    if found is None or amount is None:
        return None, text
    return amount, text[found.end() :].lstrip()


def read_amount(written: str) -> Amount | None:
    """The amount that a tidy text consists of; None if it is none."""
    parts = _RANGE.fullmatch(written)
    if parts is None:
        return _exactly(_number(written))
    low, high = _number(parts[1]), _number(parts[2])
    if low is None or high is None:
        return None
    if high < 1 <= low and "-" in written:
        # "1-1/2 cups" is one and a half, as many American cooks write it.
        return _exactly(low + high)
    return Amount(_rounded(min(low, high)), _rounded(max(low, high)))


def _number(written: str) -> Fraction | None:
    word = written.lower()
    if word in WORDS:
        return Fraction(WORDS[word])
    whole, _, broken = word.replace("and ", "").replace("& ", "").rpartition(" ")
    try:
        return Fraction(whole or 0) + Fraction(_with_point(broken))
    except (ValueError, ZeroDivisionError):
        return None


def _with_point(digits: str) -> str:
    """A comma before three digits divides thousands, as in English; any other is a decimal comma."""
    return re.sub(r",(?=[0-9]{3}(?:,|$))", "", digits).replace(",", ".")


def _exactly(number: Fraction | None) -> Amount | None:
    return None if number is None else Amount(_rounded(number), _rounded(number))


def _rounded(number: Fraction) -> float:
    return round(float(number), 4)
