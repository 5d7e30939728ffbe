"""Times in text: "25-30 minutes", "1 h 20 min", "half an hour", "overnight"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from examples.kitchen.ai.recipe import Amount, Duration
from examples.kitchen.ai.rules.amounts import AMOUNT, read_amount
from examples.kitchen.ai.rules.tidy import tidy
from examples.kitchen.ai.rules.words import cooking_verbs

_MINUTES = {"d": 1440.0, "h": 60.0, "m": 1.0, "s": 1 / 60}

#: Groups: amount, unit. "m" alone is a minute only behind hours, as in "1h 20m".
_PIECE = rf"({AMOUNT})[ -]?(days?|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?)\b\.?"
_WITHOUT_NUMBER = r"overnight|(?:a few|several|some) (?:days|hours|minutes|seconds)"
_TIME = re.compile(rf"{_PIECE}(?P<and_a_half> and a half)?|\b(?P<vague>{_WITHOUT_NUMBER})\b", re.IGNORECASE)
_BETWEEN_PIECES = re.compile(r"(?:,? and|,|\+)? ?", re.IGNORECASE)
#: Here "heat" is no order.
_ON_THE_HEAT = re.compile(r"\b(?:low|medium|high|gentle|the|from|of) heat\b", re.IGNORECASE)
#: The verb stands within so many characters; to look further would be slow on a hostile text.
_NEAR = 200
_SENTENCE_END = re.compile(r"[.;!?](?= |$)")


@dataclass(frozen=True)
class _Found:
    start: int
    end: int
    unit: str
    minutes: Amount | None


def find_durations(text: str) -> list[Duration]:
    """Every time in a text, with what is done for so long."""
    plain = tidy(text)
    return [
        Duration(
            text=plain[found.start : found.end].rstrip("."),
            minutes=found.minutes,
            action=_action(plain[max(0, found.start - _NEAR) : found.start]),
        )
        for found in _joined(_pieces(plain))
        if found.unit != "m alone"
    ]


def first_duration(text: str) -> Duration | None:
    """The time at the very start of a text."""
    plain = tidy(text)
    for found in _joined(_pieces(plain)):
        if found.start == 0 and found.unit != "m alone":
            return Duration(text=plain[: found.end].rstrip("."), minutes=found.minutes)
        break
    return None


def _pieces(text: str) -> Iterator[tuple[str, _Found]]:
    """Each time with the text between it and the one before."""
    behind = 0
    for match in _TIME.finditer(text):
        yield text[behind : match.start()], _found(match)
        behind = match.end()


def _found(match: re.Match[str]) -> _Found:
    if match["vague"]:
        return _Found(match.start(), match.end(), "", None)
    unit = match[2].lower()
    kind = "m alone" if unit == "m" else unit[0]
    amount = read_amount(match[1])
    if amount is not None:
        factor, extra = _MINUTES[unit[0]], 0.5 if match["and_a_half"] else 0.0
        amount = Amount(round((amount.low + extra) * factor, 2), round((amount.high + extra) * factor, 2))
    return _Found(match.start(), match.end(), kind, amount)


def _joined(pieces: Iterator[tuple[str, _Found]]) -> list[_Found]:
    """Put "1 hour" and "20 minutes" together where the second follows and is the smaller unit."""
    found: list[_Found] = []
    for between, piece in pieces:
        before = found[-1] if found else None
        if before is not None and _BETWEEN_PIECES.fullmatch(between) and _goes_on(before, piece):
            found[-1] = _Found(before.start, piece.end, piece.unit[:1], _sum(before.minutes, piece.minutes))
        else:
            found.append(piece)
    return found


def _goes_on(before: _Found, piece: _Found) -> bool:
    if before.minutes is None or piece.minutes is None:
        return False
    units = "dhms"
    return 0 <= units.find(before.unit) < units.find(piece.unit[0])


def _sum(one: Amount | None, other: Amount | None) -> Amount | None:
    return None if one is None or other is None else Amount(one.low + other.low, one.high + other.high)


def _action(before: str) -> str | None:
    """The last cooking verb of the same sentence."""
    verbs = cooking_verbs(_ON_THE_HEAT.sub("", _SENTENCE_END.split(before)[-1]))
    return verbs[-1] if verbs else None
