"""How much of something: "200 g", "2 x 400 g tins", "1 cup plus 2 tbsp", in front of its name or behind it."""

import re
from dataclasses import dataclass

from examples.kitchen.ai.recipe import Amount
from examples.kitchen.ai.rules.amounts import AMOUNT, read_amount, take_amount
from examples.kitchen.ai.rules.units import take_unit, unit_called

_TIMES = re.compile(rf"x ?({AMOUNT} ?[a-z]+)\b\.?", re.IGNORECASE)
_SIZE = re.compile(rf"\(?({AMOUNT}[ -]?(?:g|kg|ml|l|oz|ounces?|lbs?|pounds?|inch(?:es)?|cm))\b\.?\)?", re.IGNORECASE)
_HOW_FULL = re.compile(r"(heaped|heaping|level|scant|generous|rounded|large|small|big|good|full)\b ?", re.IGNORECASE)
_ALSO = re.compile(rf"(?P<how>/|plus\b|\+) ?(?P<amount>{AMOUNT} ?(?P<unit>[a-z]+)\b\.?) ?", re.IGNORECASE)
_BEHIND = re.compile(
    rf"(?P<item>[^0-9:(]{{2,60}}?)(?: ?: ?| - | ?\()?(?<=[ :(])(?P<amount>{AMOUNT}) ?(?P<unit>[a-z]*)\.?\)?",
    re.IGNORECASE,
)
_OF = re.compile(r"^of (?:the )?", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """An amount with its unit, and what was said beside them."""

    amount: Amount | None = None
    unit: str | None = None
    #: Of one piece.
    size: str | None = None
    remarks: tuple[str, ...] = ()


NO_MEASURE = Measure()


def take_measure(text: str) -> tuple[Measure, str]:
    """The measure at the start of a tidy text, and the name that follows it."""
    amount, rest = take_amount(text)
    if amount is None:
        return NO_MEASURE, text
    size, rest = _take_size(rest)
    how_full, after = _take_how_full(rest)
    unit, after = take_unit(after)
    if unit is None:
        # "2 large eggs": large belongs to the eggs.
        return Measure(amount=amount, size=size), rest
    also, after = _take_another(after)
    return Measure(amount=amount, unit=unit, size=size, remarks=how_full + also), _OF.sub("", after)


def take_measure_behind(text: str) -> tuple[Measure, str]:
    """The measure behind a name, and the name: "Flour: 2 cups", "Eggs (3)"."""
    found = _BEHIND.fullmatch(text)
    if found is None or (found["unit"] and unit_called(found["unit"]) is None):
        return NO_MEASURE, text
    return Measure(amount=read_amount(found["amount"]), unit=unit_called(found["unit"])), found["item"]


def _take_size(text: str) -> tuple[str | None, str]:
    """The size of one piece, in "2 x 400 g tins", "1 (14 oz) can" or "a 2 cm piece"."""
    found = _TIMES.match(text) or _SIZE.match(text)
    return (None, text) if found is None else (found[1], text[found.end() :].lstrip())


def _take_how_full(text: str) -> tuple[tuple[str, ...], str]:
    found = _HOW_FULL.match(text)
    return ((), text) if found is None else ((found[1],), text[found.end() :])


def _take_another(text: str) -> tuple[tuple[str, ...], str]:
    """The same amount in another unit, or one more amount: "/ 7 oz", "plus 2 tbsp"."""
    found = _ALSO.match(text)
    if found is None or unit_called(found["unit"]) is None:
        return (), text
    said = found["amount"] if found["how"] == "/" else f"plus {found['amount']}"
    return (said,), text[found.end() :]
