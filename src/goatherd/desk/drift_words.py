"""Differences between a definition and a broker, in words that people read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from goatherd.model.difference import Change, Detail, Difference

#: In the order in which a summary tells them.
CHANGES: tuple[Change, ...] = (
    "create", "bind", "unbind", "policy", "replace queue", "replace exchange", "orphan", "shadowed",
)  # fmt: skip
#: Text that needs no quotes: nobody takes it for a number, a list or a table.
_BARE = re.compile(r"""[^\s"'\[{\d.→-][^\s"'→]*""")
#: Nor for what these words mean here.
_TAKEN = frozenset(("true", "false", "null", "nothing"))
#: What everything has that says nothing else, so that it need not be told of what is missing as a whole.
_ORDINARY: dict[str, object] = {
    "durable": True, "auto_delete": False, "internal": False, "priority": 0, "apply_to": "all",
}  # fmt: skip


def told_value(value: object) -> str:
    """`true`, `86400000`, `dlx`, `"two words"`; a number as text is in quotes, because a broker minds."""
    if value is None:
        return "nothing"
    if isinstance(value, str) and _BARE.fullmatch(value) and value not in _TAKEN:
        return value
    return msgspec.json.encode(value).decode()


def told_change(difference: Difference) -> str:
    """`create queue`, `replace exchange`, `bind`, `policy`: the class, and of what where it does not say so."""
    says_it = difference.kind in difference.change or difference.kind == "binding"
    return difference.change if says_it else f"{difference.change} {difference.kind}"


def told_details(difference: Difference) -> list[str]:
    """A line for each property: `durable: true → false` is what is wanted, then what was found.

    Of what one side does not have at all there is nothing to compare: `key: chat.process`, and only what it says.
    """
    details = difference.details
    if difference.change == "unbind":
        return [f"{_field(detail)}: {told_value(detail.found)}" for detail in details]
    if difference.change != "shadowed" and all(detail.found is None for detail in details):
        lines = [f"{_field(each)}: {told_value(each.wanted)}" for each in details if not _is_ordinary(each)]
        return lines if lines or not details else ["without arguments"]
    return [f"{_field(each)}: {told_value(each.wanted)} → {told_value(each.found)}" for each in details]


def counts(differences: Sequence[Difference]) -> dict[Change, int]:
    """How many there are of each class, also of those of which there are none."""
    found = Counter(each.change for each in differences)
    return {change: found[change] for change in CHANGES}


def _is_ordinary(detail: Detail) -> bool:
    return detail.field in _ORDINARY and detail.wanted == _ORDINARY[detail.field]


def _field(detail: Detail) -> str:
    return detail.field.removeprefix("arguments.").removeprefix("definition.")
