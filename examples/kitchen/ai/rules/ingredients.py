"""Read one line of a list of ingredients: "200 g butter, softened", "Flour: 2 cups", "salt to taste"."""

import re

from examples.kitchen.ai.recipe import Ingredient
from examples.kitchen.ai.rules.amounts import take_amount
from examples.kitchen.ai.rules.measures import take_measure, take_measure_behind
from examples.kitchen.ai.rules.tidy import tidy
from examples.kitchen.ai.rules.words import names_a_counted_food, says_how_it_is_made_ready

_BULLET = re.compile(r"\s*(?:[-*+•·‣▪▢□☐◦\u2013\u2014]+\s+|[•·‣▪▢□☐◦]+|\[[ xX]?\]\s*|[0-9]{1,2}[.)]\s+)+")
_BRACKETS = re.compile(r" ?\(([^()]*)\)")
_OPTIONAL = re.compile(r"[(,]? ?\boptional\b\)?:?", re.IGNORECASE)
_USE = re.compile(
    r"\b(?:to taste|as needed|as required|(?:for|to) (?:serve|serving|garnish|frying|greasing|dusting))\b.*",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def without_bullet(line: str) -> str:
    """A line without the sign or number that lists it."""
    found = _BULLET.match(line)
    return (line[found.end() :] if found else line).strip()


def read_ingredient(line: str, part: str | None = None) -> Ingredient | None:
    """The ingredient that a line names; None if it names nothing."""
    text = without_bullet(line)
    plain = tidy(text)
    measure, named = take_measure(plain)
    if measure.amount is None:
        measure, named = take_measure_behind(plain)
    item, remarks = _take_remarks(named)
    unit = measure.unit
    if not item and unit is not None:
        # "4 cloves" alone is the spice, not a unit of nothing.
        item, unit = take_amount(plain)[1].strip(" .,"), None
    if not _LETTER.search(item):
        return None
    return Ingredient(
        text=text,
        item=item,
        amount=measure.amount,
        unit=unit,
        size=measure.size,
        note=", ".join(measure.remarks + remarks) or None,
        optional=_OPTIONAL.search(plain) is not None,
        part=part,
    )


def is_measured(ingredient: Ingredient) -> bool:
    """Whether it has an amount of a unit, or of things that are bought by the piece: hardly anything but food has."""
    if ingredient.amount is None:
        return False
    return ingredient.unit is not None or names_a_counted_food(ingredient.item)


def split_list(text: str) -> list[str]:
    """The ingredients of a list written in one line: "2 eggs, 200 g butter, softened; salt"."""
    pieces: list[str] = []
    for piece in re.split(r"[;,](?![0-9])", text):
        if pieces and says_how_it_is_made_ready(piece):
            pieces[-1] += f",{piece}"
        elif piece.strip(" ."):
            pieces.append(piece.strip(" ."))
    return pieces


def _take_remarks(text: str) -> tuple[str, tuple[str, ...]]:
    """The bare name, and what else is said: in brackets, about its use, or after a comma."""
    text = _OPTIONAL.sub("", text)
    in_brackets = [remark.strip() for remark in _BRACKETS.findall(text)]
    name, _, after_comma = _BRACKETS.sub("", text).partition(",")
    use = _USE.search(name, pos=1)
    if use is not None:
        name = name[: use.start()]
    remarks = (*in_brackets, use[0] if use else "", after_comma.strip(" .,"))
    return name.strip(" .:;-"), tuple(filter(None, remarks))
