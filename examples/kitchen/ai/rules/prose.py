"""Ingredients named in running text: "cream 200 g of butter with a cup of sugar, then add 3 eggs"."""

import re
from collections.abc import Iterator

from examples.kitchen.ai.recipe import Ingredient
from examples.kitchen.ai.rules.amounts import AMOUNT, read_amount
from examples.kitchen.ai.rules.tidy import tidy
from examples.kitchen.ai.rules.units import unit_called
from examples.kitchen.ai.rules.words import VERBS, listed, names_a_counted_food

#: A name ends before these.
_ENDS = VERBS - {"cream", "rest", "ground", "top"} | listed(
    """and or with in into to for until till then on onto at over from together is are was were if while when per plus
    before after each every that which as but so it them him her i you we they all about around more less a an the
    this these those of by not"""
)
_MOST_WORDS = 4

_MENTION = re.compile(rf"({AMOUNT}) ?((?:fl\.? ?)?[a-z]+)\b\.?(?=((?: +[a-zé'-]+){{0,6}}))", re.IGNORECASE)


def find_mentions(text: str) -> list[Ingredient]:
    """What has an amount and a unit, or can be counted; other ingredients cannot be told from the words around them."""
    found: dict[str, Ingredient] = {}
    for mention in _mentions(tidy(text)):
        found.setdefault(mention.item.lower(), mention)
    return list(found.values())


def _mentions(text: str) -> Iterator[Ingredient]:
    for found in _MENTION.finditer(text):
        unit = unit_called(found[2])
        # The point of "2 oz. butter" belongs to the unit; that of "2 eggs. Butter a pan" ends the name.
        ends_here = unit is None and text.startswith(".", found.end(2))
        words = [] if ends_here else found[3].split()
        if unit is None:
            words.insert(0, found[2])
        item = _name(words)
        amount = read_amount(found[1])
        if amount is not None and item and (unit is not None or names_a_counted_food(item)):
            end = text.index(item, found.end(1)) + len(item)
            yield Ingredient(text=text[found.start() : end], item=item, amount=amount, unit=unit)


def _name(words: list[str]) -> str:
    """The words up to the first that cannot belong to a name: "plain flour" of "of plain flour into a bowl"."""
    if words and words[0].lower() == "of":
        words = words[1:]
    if words and words[0].lower() in ("the", "your", "some"):
        words = words[1:]
    end = next((place for place, word in enumerate(words) if word.lower() in _ENDS), len(words))
    return " ".join(words[: min(end, _MOST_WORDS)])
