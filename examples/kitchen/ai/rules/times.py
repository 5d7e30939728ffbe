"""The times that a recipe gives for the whole: "Prep time: 15 min | Cook time: 1 h 20 min", "Ready in 40 minutes"."""

import re

from examples.kitchen.ai.recipe import Duration, Times
from examples.kitchen.ai.rules.durations import first_duration
from examples.kitchen.ai.rules.tidy import tidy

_LABELS = {
    "prep": r"prep(?:aration)?|hands-on|active",
    "cook": r"cook(?:ing)?|bak(?:e|ing)|roast(?:ing)?|grill(?:ing)?",
    "rest": r"rest(?:ing)?|chill(?:ing)?|marinat(?:e|ing)|ris(?:e|ing)|proof(?:ing)?|cool(?:ing)?|soaking",
    "total": r"total",
}
#: A label is "Cook time", "Cook:" or, on two lines, "Cook time" above "25 mins"; "Cook 25 mins" is an order.
_LABEL = re.compile(
    r"\b(?:(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _LABELS.items()) + r")(?: ?times?\b ?[:=-]?| ?:)"
    r"|(?P<ready>ready in|(?:^|(?<=\n))(?:takes|time ?:)))[*_ ]*\s*(?:about |approx\.? |approximately |around |~ ?)?",
    re.IGNORECASE,
)


def find_times(text: str) -> Times:
    """The first of each kind."""
    plain = tidy(text)
    found: dict[str, Duration] = {}
    for label in _LABEL.finditer(plain):
        kind = "total" if label.lastgroup == "ready" else label.lastgroup
        # A time is short, and a search through all the rest for every label would be slow on a hostile text.
        duration = first_duration(plain[label.end() : label.end() + 60].split("\n")[0])
        if duration is not None and kind is not None:
            found.setdefault(kind, duration)
    return Times(**found)


def is_about_time(line: str) -> bool:
    """Whether a line only gives such a time, or is a time alone."""
    plain = tidy(line)
    alone = first_duration(plain)
    return _LABEL.match(plain.lstrip("*_#- ")) is not None or (alone is not None and alone.text == plain.rstrip("."))
