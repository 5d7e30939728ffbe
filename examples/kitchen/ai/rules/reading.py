"""Read a whole text: the one door to the rules."""

import re
from dataclasses import dataclass

from msgspec.structs import replace

from examples.kitchen.ai.recipe import NO_RECIPE, Ingredient, Recipe
from examples.kitchen.ai.rules.confidence import confidence, is_a_recipe
from examples.kitchen.ai.rules.ingredients import read_ingredient
from examples.kitchen.ai.rules.prose import find_mentions
from examples.kitchen.ai.rules.sections import Sections, divide
from examples.kitchen.ai.rules.servings import find_servings
from examples.kitchen.ai.rules.steps import read_steps, steps_in_prose
from examples.kitchen.ai.rules.times import find_times
from examples.kitchen.ai.rules.titles import find_title


@dataclass(frozen=True)
class Reading:
    """A recipe, and whether it was picked out of running text, where much is missed."""

    recipe: Recipe
    from_prose: bool = False


def read_recipe(text: str) -> Reading:
    """The recipe in a text; NO_RECIPE if there is none. Never raises."""
    text = re.sub(r"\*\*|__", "", text)  # emphasis of Markdown says nothing here
    sections = divide(text)
    recipe = _found(text, sections)
    from_prose = not sections.ingredients
    if not is_a_recipe(recipe, sections.headed):
        return Reading(NO_RECIPE)
    sureness = confidence(recipe, sections.headed, from_prose)
    return Reading(replace(recipe, is_recipe=True, confidence=sureness), from_prose)


def _found(text: str, sections: Sections) -> Recipe:
    """Everything that could be part of a recipe, whether it is one or not."""
    return Recipe(
        is_recipe=False,
        confidence=0.0,
        title=find_title(sections.head),
        servings=find_servings(text),
        ingredients=_listed(sections) or find_mentions(text),
        times=find_times(text),
        steps=read_steps(sections.method) or steps_in_prose("\n".join(sections.head)),
    )


def _listed(sections: Sections) -> list[Ingredient]:
    read = (read_ingredient(line, part) for line, part in sections.ingredients)
    return [ingredient for ingredient in read if ingredient is not None]
