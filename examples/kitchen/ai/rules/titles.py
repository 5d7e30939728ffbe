"""The name of a dish, where the text gives one."""

import re

from examples.kitchen.ai.rules.ingredients import without_bullet
from examples.kitchen.ai.rules.servings import is_about_servings
from examples.kitchen.ai.rules.times import is_about_time

_LABEL = re.compile(r"[#*_\s]*(?:(?:title|name|recipe(?: name)?)\s*:|recipe for\b:?)[*_\s]*", re.IGNORECASE)
_DECORATION = "#*_= \t\"'“”"
_MOST_WORDS = 12


def find_title(lines: list[str]) -> str | None:
    """The line that says it is the title, else the first line if it can be one."""
    written = [line for line in lines if line.strip()]
    for line in written:
        label = _LABEL.match(line)
        if label is not None and (named := line[label.end() :].strip(_DECORATION)):
            return named
    return _as_title(written[0]) if written else None


def _as_title(line: str) -> str | None:
    """A title is short and is no sentence, time or number of servings."""
    title = without_bullet(line).strip(_DECORATION)
    if not 0 < len(title.split()) <= _MOST_WORDS or title.endswith((".", ":", ",", ";")):
        return None
    if is_about_time(title) or is_about_servings(title) or not re.search(r"[^\W\d_]{2}", title):
        return None
    return title
