"""Recipes that a page carries for machines: schema.org Recipe, as JSON-LD."""

from collections.abc import Iterable, Iterator
from html import unescape
from typing import Any

import msgspec

from examples.kitchen.crawler.result import Recipe

#: How much of one recipe is taken.
MOST_LINES = 100
LONGEST_LINE = 500
#: How deep a recipe may lie in a graph, and steps in sections.
DEEPEST = 6


def find_recipe(scripts: Iterable[str]) -> Recipe | None:
    """The first recipe in the page's JSON-LD."""
    for script in scripts:
        try:
            found = msgspec.json.decode(script)
        except (msgspec.DecodeError, RecursionError):
            # Written by hand, as often as not: a page without a recipe that can be read.
            continue
        for thing in _things(found, DEEPEST):
            if _is_recipe(thing):
                return _recipe(thing)
    return None


def _things(found: Any, deeper: int) -> Iterator[dict[str, Any]]:
    """Every object, also in lists and graphs."""
    if isinstance(found, dict):
        yield found
        found = found.get("@graph", [])
    if isinstance(found, list) and deeper:
        for each in found:
            yield from _things(each, deeper - 1)


def _is_recipe(thing: dict[str, Any]) -> bool:
    kind = thing.get("@type")
    return "Recipe" in (kind if isinstance(kind, list) else [kind])


def _recipe(thing: dict[str, Any]) -> Recipe:
    names, ingredients = _lines(thing.get("name"), DEEPEST), _lines(thing.get("recipeIngredient"), DEEPEST)
    steps = _lines(thing.get("recipeInstructions"), DEEPEST)
    return Recipe(name=next(names, ""), ingredients=_first(ingredients, MOST_LINES), steps=_first(steps, MOST_LINES))


def _lines(found: Any, deeper: int) -> Iterator[str]:
    """Text wherever it may stand: as it is, in lists, in steps, and in sections of steps."""
    match found:
        case str():
            for line in found.splitlines():
                if text := " ".join(unescape(line).split()):
                    yield text[:LONGEST_LINE]
        case list() if deeper:
            for each in found:
                yield from _lines(each, deeper - 1)
        case {"itemListElement": within} if deeper:
            yield from _lines(within, deeper - 1)
        case {"text": text} | {"name": text}:
            yield from _lines(text, deeper - 1)


def _first(lines: Iterator[str], most: int) -> list[str]:
    return [line for _, line in zip(range(most), lines, strict=False)]
