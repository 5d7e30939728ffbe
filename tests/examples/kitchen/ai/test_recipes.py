"""Whole recipes, as people paste them, and texts that are none."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.kitchen.ai.recipe import NO_RECIPE, Amount, Duration, Ingredient, Recipe
from examples.kitchen.ai.rules.confidence import MOST, MOST_IN_PROSE
from examples.kitchen.ai.rules.reading import read_recipe
from tests.examples.kitchen.ai import recipes

EVERY_RECIPE = {name: text for name, text in vars(recipes).items() if name.isupper() and isinstance(text, str)}


def recipe_in(text: str) -> Recipe:
    return read_recipe(text).recipe


def shopping(recipe: Recipe) -> list[tuple[Any, ...]]:
    return [_line(ingredient) for ingredient in recipe.ingredients]


def _line(ingredient: Ingredient) -> tuple[Any, ...]:
    amount = ingredient.amount
    if amount is None:
        return None, ingredient.unit, ingredient.item
    number = amount.low if amount.low == amount.high else (amount.low, amount.high)
    return number, ingredient.unit, ingredient.item


def minutes(duration: Duration | None) -> float | None:
    return None if duration is None or duration.minutes is None else duration.minutes.low


def test_a_recipe_with_headings_bullets_and_numbers() -> None:
    recipe = recipe_in(recipes.HEADED)
    assert recipe.title == "Weekday Banana Pancakes"
    assert recipe.servings is not None
    assert recipe.servings.amount == Amount(4, 4)
    assert (minutes(recipe.times.prep), minutes(recipe.times.cook)) == (10, 15)
    assert shopping(recipe) == [
        (2, "cup", "flour"),
        (1.5, "teaspoon", "salt"),
        (0.5, "cup", "sugar"),
        (200, "g", "butter"),
        ((3, 4), None, "ripe bananas"),
        (2, None, "large eggs"),
        (1, "pinch", "nutmeg"),
    ]
    assert recipe.ingredients[3].note == "softened"
    assert [ingredient.optional for ingredient in recipe.ingredients] == [False] * 6 + [True]
    assert [step.text.split()[0] for step in recipe.steps] == ["Mash", "Whisk", "Fry"]
    assert recipe.steps[2].times == [Duration(text="2-3 minutes", minutes=Amount(2, 3), action="fry")]


def test_the_parts_of_a_dish_are_told_apart_and_notes_are_left_out() -> None:
    recipe = recipe_in(recipes.PARTS)
    assert [(ingredient.part, ingredient.item) for ingredient in recipe.ingredients] == [
        ("For the sauce", "chopped tomatoes"),
        ("For the sauce", "garlic"),
        ("For the sauce", "olive oil"),
        ("For the sauce", "Salt and pepper"),
        ("For the white sauce", "butter"),
        ("For the white sauce", "milk"),
        ("For the white sauce", "lasagne sheets"),
    ]
    tomatoes, _, _, salt, butter, *_ = recipe.ingredients
    assert (tomatoes.amount, tomatoes.size, tomatoes.unit) == (Amount(2, 2), "400g", "can")
    assert (salt.amount, salt.note) == (None, "to taste")
    assert (butter.amount, butter.unit, butter.note) == (Amount(50, 50), "g", "2oz")
    assert [temperature.text for temperature in recipe.steps[0].temperatures] == ["180°C", "160°C", "gas mark 4"]
    assert [(time.action, minutes(time)) for step in recipe.steps for time in step.times] == [
        ("simmer", 30),
        ("bake", 40),
        ("rest", 10),
    ]
    assert len(recipe.steps) == 4


def test_a_page_of_a_website_with_labels_above_their_values() -> None:
    recipe = recipe_in(recipes.WEBSITE)
    assert recipe.title == "Slow Beef Stew"
    assert recipe.servings is not None
    assert recipe.servings.amount == Amount(6, 6)
    assert (minutes(recipe.times.prep), minutes(recipe.times.cook), minutes(recipe.times.total)) == (20, 150, 170)
    assert shopping(recipe) == [
        (2, "pound", "beef chuck"),
        (1, "can", "diced tomatoes"),
        (4, None, "medium carrots"),
        (1, "cup", "beef stock"),
        (2, "tablespoon", "flour"),
        (None, None, "fresh thyme"),
    ]
    assert [step.text for step in recipe.steps] == [
        "Heat oven to 325 degrees F.",
        "Brown the beef, about 8 minutes. Add the flour and stir.",
        "Add everything else, cover and cook in the oven for 2 1/2 hours.",
    ]


def test_lists_without_any_heading() -> None:
    recipe = recipe_in(recipes.BARE_LISTS)
    assert recipe.title == "Lemon drizzle cake"
    assert [item for _, _, item in shopping(recipe)] == [
        "unsalted butter",
        "caster sugar",
        "eggs",
        "zest of 1 lemon",
        "self-raising flour",
    ]
    assert len(recipe.steps) == 3
    assert recipe.steps[2].temperatures[0].celsius == Amount(180, 180)


def test_a_list_in_one_line_and_a_method_of_sentences() -> None:
    recipe = recipe_in(recipes.ONE_LINE_LIST)
    assert recipe.title == "Quick Guacamole"
    assert shopping(recipe) == [
        (3, None, "avocados"),
        (1, None, "lime"),
        (0.5, None, "onion"),
        (1, "handful", "coriander"),
        (None, None, "salt"),
    ]
    assert recipe.ingredients[2].note == "finely chopped"
    assert [step.text for step in recipe.steps] == [
        "Mash the avocados with a fork.",
        "Squeeze in the lime, add the onion and 1 tsp. Salt goes in last.",
        "Serve now.",
    ]


def test_running_text_gives_less_and_is_trusted_less() -> None:
    reading = read_recipe(recipes.PROSE)
    assert reading.from_prose
    assert reading.recipe.confidence <= MOST_IN_PROSE
    assert reading.recipe.title is None
    assert shopping(reading.recipe) == [
        (250, "g", "cold butter"),
        (500, "g", "plain flour"),
        (1, "pinch", "salt"),
        (3, None, "eggs"),
        (2, "tablespoon", "milk"),
    ]
    assert [step.text.split()[0] for step in reading.recipe.steps] == ["Rub", "Beat", "Chill", "Roll"]
    assert [time.text for time in reading.recipe.steps[2].times] == ["an hour", "overnight"]


def test_the_end_of_a_sentence_ends_the_name_of_what_was_counted() -> None:
    recipe = recipe_in("Boil 3 eggs. Butter and salt go into a pan with 20 g. flour.")
    assert shopping(recipe) == [(3, None, "eggs"), (20, "g", "flour")]


def test_names_before_amounts() -> None:
    recipe = recipe_in(recipes.NAMES_FIRST)
    assert recipe.title == "Overnight Oats"
    assert shopping(recipe) == [
        (100, "g", "Rolled oats"),
        (250, "ml", "Milk"),
        (2, "tablespoon", "Chia seeds"),
        (None, None, "Honey"),
    ]
    assert recipe.servings is not None
    assert (recipe.servings.amount, recipe.servings.of) == (Amount(2, 2), "jars")
    assert [step.text for step in recipe.steps] == [
        "Stir everything together in a jar.",
        "Chill overnight.",
        "Top with fruit and serve.",
    ]


def test_numbers_that_list_ingredients_are_no_amounts() -> None:
    recipe = recipe_in(recipes.NUMBERED_INGREDIENTS)
    assert shopping(recipe) == [
        (1, None, "baguette"),
        (1.5, "stick", "butter"),
        (6, "clove", "garlic"),
        (2.5, "dl", "grated cheese"),
    ]
    assert recipe.steps[1].text == "Mix butter, garlic and cheese; spread it on the halved baguette"


def test_headings_are_found_where_line_breaks_were_lost() -> None:
    recipe = recipe_in(recipes.LOST_LINE_BREAKS)
    assert shopping(recipe) == [(125, "g", "flour"), (2, None, "eggs"), (250, "ml", "milk"), (1, "pinch", "salt")]
    assert [step.text for step in recipe.steps] == ["Whisk everything.", "Fry thinly."]


def test_a_shopping_list_alone_is_believed_little() -> None:
    recipe = recipe_in(recipes.SHOPPING_ONLY)
    assert len(recipe.ingredients) == 4
    assert recipe.steps == []
    assert recipe.confidence < 0.5


@pytest.mark.parametrize("text", EVERY_RECIPE.values(), ids=EVERY_RECIPE)
def test_rules_are_never_sure(text: str) -> None:
    assert 0 < recipe_in(text).confidence <= MOST


@pytest.mark.parametrize("text", recipes.NO_RECIPES.values(), ids=recipes.NO_RECIPES)
def test_a_text_that_is_no_recipe_gives_nothing(text: str) -> None:
    assert recipe_in(text) == NO_RECIPE


pieces = st.sampled_from(
    [
        *("2", "1/2", "1 1/2", "½", "1/0", "3-4", "cup", "g", "tbsp.", "flour", "eggs", ",", "(", ")", "x", "of", "a"),
        *("half", "Ingredients", "Method:", "Serves", "Prep time", "bake", "for", "20", "minutes", "h", "overnight"),
        *("180", "°C", "gas mark", "\n", "\n1. ", "\n- ", ". ", "\u2013", "٣", "²", "\x00", "\u2028", "**", "#", ":"),
    ]
)


@given(st.text() | st.lists(pieces).map(" ".join) | st.lists(pieces).map("".join))
def test_no_text_is_too_strange_to_read(text: str) -> None:
    recipe = recipe_in(text)
    assert msgspec.json.decode(msgspec.json.encode(recipe), type=Recipe) == recipe
    assert recipe.is_recipe == bool(recipe.confidence)
