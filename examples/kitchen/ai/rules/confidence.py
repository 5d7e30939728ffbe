"""How much of the usual shape of a recipe was seen. Not a probability: nobody measured how often it is right."""

from examples.kitchen.ai.recipe import Recipe
from examples.kitchen.ai.rules.ingredients import is_measured
from examples.kitchen.ai.rules.words import cooking_verbs

#: Rules never know what a text means, so they are never surer than this.
MOST = 0.9
#: And they miss much of running text.
MOST_IN_PROSE = 0.5

_ENOUGH_INGREDIENTS = 4
_ENOUGH_STEPS = 3


def is_a_recipe(recipe: Recipe, headed: bool) -> bool:
    """Whether there is something to cook: amounts of food, or one of them and an order to cook it."""
    measured = sum(map(is_measured, recipe.ingredients))
    cooking = any(cooking_verbs(step.text) for step in recipe.steps)
    if headed and recipe.ingredients:
        return measured > 0 or cooking
    return measured > 1 or (measured > 0 and cooking)


def confidence(recipe: Recipe, headed: bool, from_prose: bool) -> float:
    """A share for each sign of a recipe."""
    measured = sum(map(is_measured, recipe.ingredients))
    cooking = sum(1 for step in recipe.steps if cooking_verbs(step.text))
    share_measured = measured / len(recipe.ingredients) if recipe.ingredients else 0.0
    signs = (
        (0.25, min(1.0, measured / _ENOUGH_INGREDIENTS)),
        (0.15, share_measured),
        (0.20, min(1.0, cooking / _ENOUGH_STEPS)),
        (0.15, float(headed)),
        (0.10, float(recipe.title is not None)),
        (0.10, float(recipe.servings is not None)),
        (0.05, float(any(step.times or step.temperatures for step in recipe.steps))),
    )
    return round(min(MOST_IN_PROSE if from_prose else MOST, sum(weight * sign for weight, sign in signs)), 2)
