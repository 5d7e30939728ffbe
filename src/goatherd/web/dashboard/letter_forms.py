"""What forms say about dead letters: which are meant, how many of them, and with which other arguments."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from goatherd.desk.letter_facts import LetterChoice, LetterFacts
from goatherd.desk.letter_shares import ALL, Share
from goatherd.errors import GoatherdError


class BadForm(GoatherdError):
    """A field cannot be understood; nothing was done."""

    def __init__(self, words: str, problems: Mapping[str, str] | None = None) -> None:
        self.problems = dict(problems or {})
        super().__init__(words)


def choice_in(fields: Mapping[str, str]) -> LetterChoice:
    """Which letters are meant; raises BadForm."""
    seen = fields.get("seen", "")
    try:
        before = datetime.fromisoformat(seen) if seen else None
    except ValueError as error:
        raise BadForm(f"{seen!r} is no time. Load the page again.") from error
    if before is not None and before.tzinfo is None:
        raise BadForm(f"{seen!r} does not say in which zone. Load the page again.")
    return LetterChoice(
        queue=fields.get("queue") or None,
        task=fields.get("task") or None,
        error=fields.get("error", "").strip() or None,
        group=fields.get("group") or None,
        failed_before=before,
    )


def share_in(fields: Mapping[str, str]) -> Share:
    """How many of them: `all`, `percent` with a number, or `count` with one; raises BadForm."""
    how = fields.get("share", "all")
    if how == "all":
        return ALL
    if how not in ("count", "percent"):
        raise BadForm("Say how many are meant: so many, a part of a hundred, or all.")
    given = fields.get(how, "").strip()
    try:
        return Share(**{how: int(given)})
    except ValueError as error:
        # Of int() or of the share itself, whose words are for people.
        words = str(error) if given.removeprefix("-").isdecimal() and len(given) < 19 else f"{given!r} is no number."
        raise BadForm(words) from error


def arguments_in(text: str, letter: LetterFacts) -> Mapping[str, Any]:
    """Other arguments by name, as somebody wrote them; raises BadForm."""
    try:
        told = json.loads(text)
        # Stricter: what it refuses, such as NaN and half of a character, no other program could read.
        msgspec.json.decode(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadForm("This is no JSON; nothing was sent.", {where: error.msg}) from error
    except (ValueError, RecursionError, msgspec.DecodeError) as error:
        raise BadForm("This is no JSON; nothing was sent.", {"text": str(error)[:200]}) from error
    if not isinstance(told, dict):
        known = ", ".join(letter.arguments or ()) or "its name"
        raise BadForm(f"Arguments are given by name, as an object with {known}; nothing was sent.")
    return told
