"""Tell apart the parts of a recipe: what stands before, the ingredients, the method, and notes."""

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from examples.kitchen.ai.rules.ingredients import is_measured, read_ingredient, split_list, without_bullet
from examples.kitchen.ai.rules.servings import is_about_servings
from examples.kitchen.ai.rules.temperatures import find_temperatures
from examples.kitchen.ai.rules.tidy import tidy
from examples.kitchen.ai.rules.times import is_about_time
from examples.kitchen.ai.rules.words import begins_with_a_cooking_verb

Place: TypeAlias = Literal["head", "ingredients", "method", "notes"]

_HEADINGS: dict[Place, str] = {
    "ingredients": r"ingredients?(?: list)?|(?:what )?you(?:'ll| will)? need|shopping list",
    "method": r"method|directions?|instructions?|preparation|steps|procedure|how to make (?:it|them)|to make",
    "notes": r"(?:cook'?s |recipe |chef'?s )?(?:notes?|tips?)|nutrition(?:al)?(?: \w+)?|storage|equipment",
}
_HEADING = re.compile(
    r"[#*_=\s]*(?:" + "|".join(f"(?P<{place}>{words})" for place, words in _HEADINGS.items()) + r")"
    r"(?: \([^)]*\))?[*_\s]*(?::[*_]*\s*(?P<rest>.*)|[=\s]*)",
    re.IGNORECASE,
)
#: A text that lost its line breaks on the way still has its headings.
_HEADING_AMIDST = re.compile(r"(?<=\S) +(?=(?:Ingredients|Method|Directions|Instructions) ?:)")
_PART = re.compile(
    r"[#*_\s]*(?P<name>[^.,0-9]{2,50}?)[*_\s]*:[*_\s]*|[#*_\s]*(?P<bare>for the [^.,0-9]{2,40}?)[*_\s]*", re.IGNORECASE
)
_NUMBERED = re.compile(r"\s*(?:step ?)?[0-9]{1,2}[.):]\s+\S|\s*step ?[0-9]{1,2}\b", re.IGNORECASE)
_MOST_WORDS_OF_AN_INGREDIENT = 14


@dataclass
class Sections:
    """The lines of a recipe by the part they belong to."""

    head: list[str] = field(default_factory=list)
    #: With the name of the part of the dish, such as "For the sauce".
    ingredients: list[tuple[str, str | None]] = field(default_factory=list)
    method: list[str] = field(default_factory=list)
    #: Whether a heading said where the ingredients are.
    headed: bool = False


def divide(text: str) -> Sections:
    """Put every line where it belongs: by headings where there are any, else by what the line looks like."""
    sections = Sections()
    place: Place = "head"
    part: str | None = None
    for line in _HEADING_AMIDST.sub("\n", text).splitlines():
        heading, rest = heading_of(line)
        if heading is not None:
            place, part = heading, None
            sections.headed |= heading == "ingredients"
            _put_rest(sections, place, rest)
            continue
        place = _place_of(line, place)
        if is_about_the_whole(line):
            sections.head.append(line)
        elif place == "ingredients" and (name := _part_named(line)) is not None:
            part = name
        elif place == "ingredients" and line.strip():
            sections.ingredients.append((line, part))
        elif place == "method" and _part_named(line) is None:
            sections.method.append(line)
        elif place == "head":
            sections.head.append(line)
    return sections


def heading_of(line: str) -> tuple[Place | None, str]:
    """The place that a heading announces, and what stands behind it in the same line."""
    found = _HEADING.fullmatch(tidy(line)) if len(line) < 2000 else None
    if found is None:
        return None, ""
    place = next(place for place in _HEADINGS if found[place])
    return place, (found["rest"] or "").strip()


def is_about_the_whole(line: str) -> bool:
    """Whether a line only gives a time or the number of servings, wherever it stands."""
    return is_about_time(line) or is_about_servings(line)


def looks_like_an_ingredient(line: str) -> bool:
    """Whether a line without any heading above it is an ingredient: short, with an amount of something to eat."""
    text = without_bullet(line)
    if len(text.split()) > _MOST_WORDS_OF_AN_INGREDIENT:
        return False
    found = read_ingredient(line)
    return found is not None and is_measured(found) and not find_temperatures(text)


def looks_like_a_step(line: str) -> bool:
    """Whether a line is an order to do something."""
    text = without_bullet(line)
    if not begins_with_a_cooking_verb(text):
        return False
    return _NUMBERED.match(line) is not None or (len(text.split()) >= 4 and text.endswith((".", "!")))


def _place_of(line: str, place: Place) -> Place:
    """Where a line that is no heading belongs, if the lines before it were at `place`."""
    if place == "notes" or not line.strip():
        return place
    if looks_like_a_step(line):
        return "method"
    if place == "head" and looks_like_an_ingredient(line):
        return "ingredients"
    return place


def _part_named(line: str) -> str | None:
    found = _PART.fullmatch(line)
    return None if found is None else (found["name"] or found["bare"] or "").strip() or None


def _put_rest(sections: Sections, place: Place, rest: str) -> None:
    if not rest:
        return
    if place == "ingredients":
        sections.ingredients.extend((piece, None) for piece in split_list(rest))
    elif place == "method":
        sections.method.append(rest)
