"""How much a recipe makes: "Serves 4-6", "Makes about 24 cookies", "Yield: 12 muffins", "for 4 people"."""

import re

from examples.kitchen.ai.recipe import Servings
from examples.kitchen.ai.rules.amounts import AMOUNT, read_amount
from examples.kitchen.ai.rules.tidy import tidy

_ABOUT = r"(?:about |approx\.? |approximately |around |up to |~ ?)?"
_PORTIONS = r"servings?|portions?|people|persons?|guests?"
_WORD = rf"(?!(?:{_PORTIONS}|hours?|minutes?|mins?|and|or|from|of|in|with|to)\b)[a-zé-]+"
_FORMS = (
    rf"\b(?:serves|servings?|portions?)\b ?[:=-]?\s*[*_]*{_ABOUT}(?P<amount>{AMOUNT})(?: (?:{_PORTIONS})\b)?",
    (
        rf"\b(?:makes|yields?)\b ?[:=-]?\s*[*_]*{_ABOUT}(?!an? (?!dozen))(?P<amount>{AMOUNT})"
        rf"(?: (?:{_PORTIONS})\b| (?P<of>{_WORD}(?: {_WORD})?))?"
    ),
    rf"\bfor {_ABOUT}(?P<amount>{AMOUNT}) (?:{_PORTIONS})\b",
    rf"(?:^|(?<=\n))[^\S\n]*[*_]*{_ABOUT}(?P<amount>{AMOUNT}) (?:{_PORTIONS})\b",
)
_PATTERNS = [re.compile(form, re.IGNORECASE) for form in _FORMS]


def find_servings(text: str) -> Servings | None:
    """The first statement of how much it makes."""
    plain = tidy(text)
    for pattern in _PATTERNS:
        found = pattern.search(plain)
        amount = read_amount(found["amount"]) if found else None
        if found is not None and amount is not None:
            return Servings(text=" ".join(found[0].split()), amount=amount, of=found.groupdict().get("of"))
    return None


def is_about_servings(line: str) -> bool:
    """Whether a line begins with such a statement."""
    plain = tidy(line).lstrip("*_#- ")
    return any(pattern.match(plain) for pattern in _PATTERNS)
