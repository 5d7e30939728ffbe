"""Schedules and their firings as rows, in the same order on every database."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from goatherd.errors import DefinitionError
from goatherd.model.schedule import Delay, DueSchedule, Firing, ScheduleRule

#: In the order of the fields of `Firing`, without the schedule's name.
FIRING = ("tick", "id", "state", "triggered", "missed", "fired", "begun", "ended", "job")
#: In the order of the fields of `DueSchedule`.
DUE = ("name", "rule", "rev", "next_at", "open", "waiting", "last_fired", "last_ended", "last_tick")

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(ScheduleRule).decode


def packed_rule(rule: ScheduleRule) -> str:
    """A rule as it is kept; equal ones are kept alike, whether a number was written as 5 or as 5.0."""
    return _encode(_decode(_encode(rule))).decode()


def unpacked_rule(kept: str) -> ScheduleRule:
    """A rule that was kept."""
    return _decode(kept)


def depends_on_ends(rule: ScheduleRule) -> bool:
    """Whether its next tick depends on when a run ended."""
    return isinstance(rule.timing, Delay)


def may_overlap(rule: ScheduleRule) -> bool:
    """Whether runs are worked on beside each other."""
    return rule.overlap == "allow"


def due_in(row: Sequence[Any]) -> DueSchedule:
    """A schedule that is due, of a row of `DUE`."""
    fields: dict[str, Any] = dict(zip(DUE, row, strict=True))
    fields["rule"] = unpacked_rule(fields["rule"])
    return DueSchedule(**fields)


def firing_in(schedule: str, row: Sequence[Any]) -> Firing:
    """A firing, of a row of `FIRING`."""
    fields: dict[str, Any] = dict(zip(FIRING, row, strict=True))
    fields["triggered"] = bool(fields["triggered"])
    return Firing(schedule=schedule, **fields)


def can_be_kept(text: str) -> bool:
    """False for what no database keeps as text, so that there can be none of that name."""
    return "\0" not in text and (text.isascii() or text == text.encode(errors="ignore").decode())


def check_text(what: str, texts: Iterable[str]) -> None:
    """Raise DefinitionError for what cannot be kept."""
    for text in texts:
        if not text:
            raise DefinitionError(f"The {what} of a schedule is empty; give it one.")
        if not can_be_kept(text):
            raise DefinitionError(
                f"The {what} {text!r} of a schedule has a NUL or half of a character in it, which no database keeps; "
                f"give it another."
            )
