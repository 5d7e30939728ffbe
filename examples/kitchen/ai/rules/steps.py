"""What to do, step by step: numbered lines, lines, or the sentences of a paragraph."""

import re

from examples.kitchen.ai.recipe import Step
from examples.kitchen.ai.rules.durations import find_durations
from examples.kitchen.ai.rules.ingredients import without_bullet
from examples.kitchen.ai.rules.temperatures import find_temperatures
from examples.kitchen.ai.rules.words import begins_with_a_cooking_verb, cooking_verbs

_NUMBER = re.compile(r"\s*(?:[*_]*step ?[0-9]{1,2}[*_]*\b ?[.):-]?|[0-9]{1,2}[.):])[*_]*(?:\s+|$)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"'])")
_NOT_AN_END = re.compile(r"\b(?:tsp|tbsp|tbs|oz|lb|lbs|min|mins|hr|hrs|approx|ca|e\.g|i\.e|no|vs)\.$", re.IGNORECASE)
_LONG = 240


def read_steps(lines: list[str]) -> list[Step]:
    """The steps of a method."""
    blocks = _numbered(lines) if any(map(_NUMBER.match, lines)) else _unnumbered(lines)
    return numbered([block for block in blocks if re.search(r"[^\W\d_]{2}", block)])


def steps_in_prose(text: str) -> list[Step]:
    """The sentences of running text that tell a cook to do something."""
    return numbered([sentence for sentence in sentences(" ".join(text.split())) if cooking_verbs(sentence)])


def numbered(texts: list[str]) -> list[Step]:
    """Texts as steps, each with the times and temperatures it names."""
    return [
        Step(number=number, text=text, times=find_durations(text), temperatures=find_temperatures(text))
        for number, text in enumerate(texts, start=1)
    ]


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph; "2 tsp. Salt" is not the end of one, "10 min. Serve" is."""
    found: list[str] = []
    for piece in _SENTENCE.split(text.strip()):
        if found and _NOT_AN_END.search(found[-1]) and not begins_with_a_cooking_verb(piece):
            found[-1] += f" {piece}"
        elif piece:
            found.append(piece)
    return found


def _numbered(lines: list[str]) -> list[str]:
    """A line without a number goes on with the step above it."""
    blocks: list[str] = []
    for line in lines:
        number = _NUMBER.match(line)
        if number is not None:
            blocks.append(line[number.end() :].strip())
        elif blocks:
            blocks[-1] = f"{blocks[-1]} {line.strip()}".strip()
        elif line.strip():
            blocks.append(without_bullet(line))
    return blocks


def _unnumbered(lines: list[str]) -> list[str]:
    """Each paragraph or line is a step; one that stands alone, or is long, is cut into sentences."""
    blocks: list[str] = []
    goes_on = False
    for line in lines:
        text = without_bullet(line)
        if goes_on and text[:1].islower():
            blocks[-1] += f" {text}"
        elif text:
            blocks.append(text)
        goes_on = bool(text) and bool(blocks) and not text.endswith((".", "!", "?", ":"))
    alone = len(blocks) == 1
    return [piece for block in blocks for piece in (sentences(block) if alone or len(block) > _LONG else [block])]
