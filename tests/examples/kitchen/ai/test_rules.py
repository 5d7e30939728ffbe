"""Each kind of fact on its own: ingredients, times, temperatures, servings."""

import pytest

from examples.kitchen.ai.recipe import Amount
from examples.kitchen.ai.rules.durations import find_durations
from examples.kitchen.ai.rules.ingredients import read_ingredient
from examples.kitchen.ai.rules.servings import find_servings
from examples.kitchen.ai.rules.steps import sentences
from examples.kitchen.ai.rules.temperatures import find_temperatures
from examples.kitchen.ai.rules.times import find_times
from examples.kitchen.ai.rules.titles import find_title


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("2 cups flour", (2, "cup", None, "flour", None)),
        ("1 1/2 tsp. salt", (1.5, "teaspoon", None, "salt", None)),
        ("• ½ cup sugar", (0.5, "cup", None, "sugar", None)),
        ("[ ] 3 T soy sauce", (3, "tablespoon", None, "soy sauce", None)),
        ("1 t vanilla", (1, "teaspoon", None, "vanilla", None)),
        ("1 fl. oz rum", (1, "fluid ounce", None, "rum", None)),
        ("1 (14 oz) can chickpeas, drained", (1, "can", "14 oz", "chickpeas", "drained")),
        ("1 28-ounce can tomatoes", (1, "can", "28-ounce", "tomatoes", None)),
        ("a 2cm piece of ginger", (1, "piece", "2cm", "ginger", None)),
        ("2 heaped tbsp cocoa powder", (2, "tablespoon", None, "cocoa powder", "heaped")),
        ("1 cup plus 2 tbsp sugar", (1, "cup", None, "sugar", "plus 2 tbsp")),
        ("200 g (7 oz) dark chocolate, chopped", (200, "g", None, "dark chocolate", "7 oz, chopped")),
        ("1 tbsp grated zest of lemon", (1, "tablespoon", None, "grated zest of lemon", None)),
        ("about 300ml stock", (300, "ml", None, "stock", None)),
        ("1 tsp cloves", (1, "teaspoon", None, "cloves", None)),
        ("4 cloves", (4, None, None, "cloves", None)),
        ("Oil for frying", (None, None, None, "Oil", "for frying")),
        ("Butter \u2013 100 g", (100, "g", None, "Butter", None)),
        ("Eggs (3)", (3, None, None, "Eggs", None)),
        ("half-and-half", (None, None, None, "half-and-half", None)),
    ],
)
def test_a_line_of_ingredients(line: str, expected: tuple[object, ...]) -> None:
    found = read_ingredient(line)
    assert found is not None
    number = None if found.amount is None else found.amount.low
    assert (number, found.unit, found.size, found.item, found.note) == expected


@pytest.mark.parametrize("line", ["", " - ", "2", "1/2", "***", "12.", "(  )", "2 cups" * 0])
def test_a_line_that_names_nothing(line: str) -> None:
    assert read_ingredient(line) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("bake for 25-30 minutes", [("bake", 25, 30)]),
        ("rest 1 h 20 min, then serve", [("rest", 80, 80)]),
        ("1h20", [(None, 80, 80)]),
        ("1h 20m", [(None, 80, 80)]),
        ("1 hour and 20 minutes", [(None, 80, 80)]),
        ("Simmer for an hour and a half.", [("simmer", 90, 90)]),
        ("roast 1½ hours", [("roast", 90, 90)]),
        ("two to three hours", [(None, 120, 180)]),
        ("fry 5 minutes, 2 minutes on each side", [("fry", 5, 5), ("fry", 2, 2)]),
        ("Fry. Wait 30 sec.", [(None, 0.5, 0.5)]),
        ("Cook over high heat for 3 min", [("cook", 3, 3)]),
        ("a wall 3 m long, 250 ml", []),
    ],
)
def test_times(text: str, expected: list[tuple[str | None, float, float]]) -> None:
    found = find_durations(text)
    assert [(time.action, time.minutes.low, time.minutes.high) for time in found if time.minutes] == expected


@pytest.mark.parametrize("text", ["chill overnight", "leave for a few minutes"])
def test_a_time_without_a_number_has_no_minutes(text: str) -> None:
    [found] = find_durations(text)
    assert found.minutes is None


def test_only_labels_give_times_of_the_whole() -> None:
    times = find_times("Cook 10 minutes.\n**Cooking time:** about 1 hour\nChill time - overnight\nReady in 90 minutes")
    assert times.prep is None
    assert times.cook is not None
    assert times.cook.minutes == Amount(60, 60)
    assert times.rest is not None
    assert times.rest.text == "overnight"
    assert times.total is not None
    assert times.total.minutes == Amount(90, 90)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("180 °C", [("C", 180, 180)]),
        ("350F", [("F", 176.7, 176.7)]),
        ("350 degrees F (175 degrees C)", [("F", 176.7, 176.7), ("C", 175, 175)]),
        ("180\u2013200 degrees Celsius", [("C", 180, 200)]),
        ("gas mark 4", [("gas", 180, 180)]),
        ("gas ½", [("gas", 120, 120)]),
        ("2 c flour, 100 g butter, 20 cm tin", []),
    ],
)
def test_temperatures(text: str, expected: list[tuple[str, float, float]]) -> None:
    found = [(one.scale, one.celsius.low, one.celsius.high) for one in find_temperatures(text) if one.celsius]
    assert found == expected


def test_degrees_without_a_scale_are_not_guessed() -> None:
    [found] = find_temperatures("a hot oven (350°)")
    assert (found.degrees, found.scale, found.celsius) == (Amount(350, 350), None, None)


@pytest.mark.parametrize(
    ("text", "low", "high", "of"),
    [
        ("Serves 4-6", 4, 6, None),
        ("Servings\n4", 4, 4, None),
        ("Makes about 24 cookies", 24, 24, "cookies"),
        ("Makes 2 loaves of bread", 2, 2, "loaves"),
        ("Yield: a dozen muffins", 12, 12, "muffins"),
        ("dinner for two people", 2, 2, None),
        ("4 portions", 4, 4, None),
    ],
)
def test_servings(text: str, low: float, high: float, of: str | None) -> None:
    found = find_servings(text)
    assert found is not None
    assert (found.amount, found.of) == (Amount(low, high), of)


@pytest.mark.parametrize("text", ["It makes a difference.", "Serve hot.", "for 20 minutes"])
def test_no_servings(text: str) -> None:
    assert find_servings(text) is None


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert sentences("Add 1 tsp. Salt it. Bake for 10 min. Serve.") == [
        "Add 1 tsp. Salt it.",
        "Bake for 10 min.",
        "Serve.",
    ]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["", "## Apple Pie ##"], "Apple Pie"),
        (["A story.", "Title: Apple Pie"], "Apple Pie"),
        (["Serves 4", "Apple Pie"], None),
        (["It was a long and cold winter when I first ate this, my dear readers"], None),
        ([], None),
    ],
)
def test_titles(lines: list[str], expected: str | None) -> None:
    assert find_title(lines) == expected
