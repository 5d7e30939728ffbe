"""Kitchen units and how they are spelled."""

import re

SPELLINGS = {
    "cup": "cup cups c",
    "tablespoon": "tablespoon tablespoons tbsp tbsps tbs tbl tb",
    "teaspoon": "teaspoon teaspoons tsp tsps ts t",
    "fluid ounce": "floz",
    "ounce": "ounce ounces oz ozs",
    "pound": "pound pounds lb lbs",
    "mg": "mg milligram milligrams",
    "g": "g gr gm gms gram grams gramme grammes",
    "kg": "kg kgs kilo kilos kilogram kilograms",
    "ml": "ml millilitre millilitres milliliter milliliters cc",
    "cl": "cl centilitre centilitres centiliter centiliters",
    "dl": "dl decilitre decilitres deciliter deciliters",
    "l": "l litre litres liter liters",
    "pint": "pint pints pt pts",
    "quart": "quart quarts qt qts",
    "gallon": "gallon gallons gal",
    "pinch": "pinch pinches",
    "dash": "dash dashes",
    "drop": "drop drops",
    "splash": "splash splashes",
    "drizzle": "drizzle",
    "knob": "knob knobs",
    "handful": "handful handfuls",
    "clove": "clove cloves",
    "slice": "slice slices",
    "piece": "piece pieces pc pcs",
    "stick": "stick sticks",
    "stalk": "stalk stalks",
    "rib": "rib ribs",
    "sprig": "sprig sprigs",
    "leaf": "leaf leaves",
    "bunch": "bunch bunches",
    "head": "head heads",
    "ball": "ball balls",
    "sheet": "sheet sheets",
    "can": "can cans tin tins",
    "jar": "jar jars",
    "bottle": "bottle bottles",
    "carton": "carton cartons",
    "bag": "bag bags",
    "box": "box boxes",
    "packet": "packet packets package packages pack packs pkg pkgs sachet sachets",
    "scoop": "scoop scoops",
    "rasher": "rasher rashers",
    "fillet": "fillet fillets",
}
_UNITS = {spelling: unit for unit, spellings in SPELLINGS.items() for spelling in spellings.split()}

_WORD = re.compile(r"(fl(?:uid)?\.? ?(?:oz|ounces?)|[A-Za-z]+)\b\.?", re.IGNORECASE)


def take_unit(text: str) -> tuple[str | None, str]:
    """The unit at the start of a tidy text, and what follows it."""
    found = _WORD.match(text)
    unit = unit_called(found[1]) if found else None
    if found is None or unit is None:
        return None, text
    return unit, text[found.end() :].lstrip()


def unit_called(spelling: str) -> str | None:
    """The unit of that spelling; a single T is a tablespoon, a single t a teaspoon."""
    if spelling == "T":
        return "tablespoon"
    word = spelling.lower()
    return "fluid ounce" if word.startswith("fl") and word.endswith(("oz", "ounce", "ounces")) else _UNITS.get(word)
