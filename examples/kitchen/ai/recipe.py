"""What is found in a recipe; the same for every provider, and what callers get as JSON."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

Scale: TypeAlias = Literal["C", "F", "gas"]


class Amount(Struct, frozen=True):
    """A number, or a range where `low` and `high` differ."""

    low: float
    high: float


class Ingredient(Struct, frozen=True, kw_only=True):
    """One thing to buy."""

    #: As it was written.
    text: str
    item: str
    amount: Amount | None = None
    #: In full and in the singular: "tablespoon", "g", "clove".
    unit: str | None = None
    #: The size of one piece: "400 g" of "2 x 400 g tins".
    size: str | None = None
    #: "softened", "to taste".
    note: str | None = None
    optional: bool = False
    #: The part of the dish it belongs to: "For the sauce".
    part: str | None = None


class Duration(Struct, frozen=True, kw_only=True):
    """A time, as far as it can be told: "overnight" has no minutes."""

    text: str
    minutes: Amount | None = None
    #: What is done for so long: "bake".
    action: str | None = None


class Temperature(Struct, frozen=True, kw_only=True):
    """A temperature; without a scale nobody knows what 350° is in Celsius."""

    text: str
    degrees: Amount
    scale: Scale | None = None
    celsius: Amount | None = None


class Servings(Struct, frozen=True, kw_only=True):
    """How much it makes."""

    text: str
    amount: Amount
    #: "cookies"; None for portions.
    of: str | None = None


class Times(Struct, frozen=True, kw_only=True):
    """The times that the recipe gives for the whole."""

    prep: Duration | None = None
    cook: Duration | None = None
    rest: Duration | None = None
    total: Duration | None = None


class Step(Struct, frozen=True, kw_only=True):
    """One thing to do."""

    number: int
    text: str
    times: list[Duration] = []
    temperatures: list[Temperature] = []


class Recipe(Struct, frozen=True, kw_only=True):
    """Everything found in one text or picture."""

    is_recipe: bool
    #: From 0 to 1; `note` in the result says what it is worth.
    confidence: Annotated[float, Meta(ge=0, le=1)]
    title: str | None = None
    servings: Servings | None = None
    ingredients: list[Ingredient]
    times: Times = Times()
    steps: list[Step]


NO_RECIPE = Recipe(is_recipe=False, confidence=0.0, ingredients=[], steps=[])
