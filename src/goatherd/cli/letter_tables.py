"""Dead letters as tables: grouped by what went wrong, or each for itself."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.table import Table
from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.desk.letter_groups import LetterGroup
from goatherd.model.dead_letter import DeadLetter


def group_table(groups: Sequence[LetterGroup]) -> Table:
    """One line for each group."""
    table = plain_table()
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("task", no_wrap=True)
    table.add_column("error")
    table.add_column("newest", justify="right", no_wrap=True)
    table.add_column("oldest", justify="right", no_wrap=True)
    for group in groups:
        error = error_text(group.error_type, group.message)
        table.add_row(f"{group.count:,}", _task(group.task), error, ago(group.newest), ago(group.oldest))
    return table


def letter_table(letters: Sequence[DeadLetter]) -> Table:
    """One line for each letter, named by the end of its id."""
    table = plain_table()
    table.add_column("letter", no_wrap=True, style="cyan")
    table.add_column("task", no_wrap=True)
    in_lanes = any(letter.key is not None for letter in letters)
    if in_lanes:
        table.add_column("lane", overflow="fold", min_width=8)
    table.add_column("error")
    table.add_column("tries", justify="right", no_wrap=True)
    table.add_column("died", justify="right", no_wrap=True)
    for letter in letters:
        lane = [Text(printable(letter.key or "-"))] if in_lanes else []
        error = error_text(letter.error_type, letter.message)
        died = ago(letter.failed_at)
        table.add_row(short_id(letter.id), _task(letter.task), *lane, error, str(letter.attempts), died)
    return table


def short_id(letter_id: str) -> str:
    """The end of an id, which is random, where its beginning is the time and much the same for all."""
    return letter_id[-12:]


def error_text(error_type: str, message: str) -> Text:
    """Type and message on one line; where that is too long, this column gives way, and no other."""
    parts = ((printable(error_type), "red"), ": " if message else "", printable(" ".join(message.split())))
    return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")


def _task(name: str | None) -> Text:
    return Text(printable(name or "?"))


def ago(moment: datetime) -> str:
    """How long ago it was."""
    return spoken(max(0.0, (datetime.now(UTC) - moment).total_seconds())) + " ago"
