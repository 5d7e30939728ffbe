"""One way to write what has many: fractions, dashes, spaces and degree signs."""

import re

#: The fractions that have a character of their own.
FRACTIONS = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip

_SAME = str.maketrans(
    {sign: f" {plain}" for sign, plain in FRACTIONS.items()}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-")
    | dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\t", " ")
    | dict.fromkeys("º˚", "°")
    | {
        "\N{FRACTION SLASH}": "/",
        "\N{MULTIPLICATION SIGN}": "x",
        "\N{RIGHT SINGLE QUOTATION MARK}": "'",
        "℃": "°C",
        "℉": "°F",
    }
)
_SPACES = re.compile(r" {2,}")
_BETWEEN_TWO_MEASURES = re.compile(r"(?<=[A-Za-z°])/(?=[0-9])")
_HOUR_AND_A_BIT = re.compile(r"(?<![0-9])([0-9]{1,2}) ?h ?([0-5][0-9])(?![0-9]| ?m)", re.IGNORECASE)


def tidy(text: str) -> str:
    """The same text in plain characters: "1½ cups" is "1 1/2 cups", "1h20" is "1 h 20 min"."""
    plain = _SPACES.sub(" ", text.translate(_SAME)).strip(" ")
    plain = _BETWEEN_TWO_MEASURES.sub(" / ", plain)
    return _HOUR_AND_A_BIT.sub(r"\1 h \2 min", plain)
