"""Temperatures: "180 °C", "350F", "180-200 degrees Celsius", "gas mark 4"."""

import re
from collections.abc import Callable
from fractions import Fraction

from examples.kitchen.ai.recipe import Amount, Scale, Temperature
from examples.kitchen.ai.rules.tidy import tidy

_DEGREES = r"(?<![0-9.,/])(?P<low>[0-9]{2,3})(?: ?(?:-|to) ?(?P<high>[0-9]{2,3}))?"
_SIGN = r"(?:°|degrees?\b|deg\b\.?)"
_OVEN = re.compile(
    rf"{_DEGREES} ?(?:{_SIGN} ?(?P<scale>(?:[CF]|[cf]|[Cc]elsius|[Cc]entigrade|[Ff]ahrenheit)\b)?|(?P<bare>[CF])\b)"
)
_GAS = re.compile(
    r"\bgas(?: mark)? ?(?P<mark>1/[24]|[1-9])(?![0-9/])(?: ?(?:-|to) ?(?P<up_to>[1-9])(?![0-9]))?", re.IGNORECASE
)

#: What a gas oven's marks mean in degrees Celsius.
_GAS_MARKS = {0.25: 110, 0.5: 120, 1: 140, 2: 150, 3: 160, 4: 180, 5: 190, 6: 200, 7: 220, 8: 230, 9: 240}


def find_temperatures(text: str) -> list[Temperature]:
    """Every temperature in a text, in order."""
    plain = tidy(text)
    ovens = [(found.start(), _oven(found)) for found in _OVEN.finditer(plain)]
    gas = [(found.start(), _gas(found)) for found in _GAS.finditer(plain)]
    return [temperature for _, temperature in sorted(ovens + gas, key=lambda found: found[0])]


def _oven(found: re.Match[str]) -> Temperature:
    low, high = float(found["low"]), float(found["high"] or found["low"])
    degrees = Amount(min(low, high), max(low, high))
    scale = _scale(found["scale"] or found["bare"])
    celsius = None if scale is None else _converted(degrees, _TO_CELSIUS[scale])
    return Temperature(text=found[0].strip(), degrees=degrees, scale=scale, celsius=celsius)


def _gas(found: re.Match[str]) -> Temperature:
    low = float(Fraction(found["mark"]))
    degrees = Amount(low, max(low, float(found["up_to"] or low)))
    return Temperature(text=found[0], degrees=degrees, scale="gas", celsius=_converted(degrees, _TO_CELSIUS["gas"]))


def _scale(written: str | None) -> Scale | None:
    if not written:
        return None
    return "F" if written[0] in "fF" else "C"


def _converted(degrees: Amount, convert: Callable[[float], float]) -> Amount:
    return Amount(round(convert(degrees.low), 1), round(convert(degrees.high), 1))


_TO_CELSIUS: dict[Scale, Callable[[float], float]] = {
    "C": lambda degrees: degrees,
    "F": lambda degrees: (degrees - 32) * 5 / 9,
    "gas": lambda mark: _GAS_MARKS[mark],
}
