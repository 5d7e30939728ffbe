"""Other arguments for a dead letter: given as JSON or written in an editor, and checked like those of a new job."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from goatherd.cli.output import Failed
from goatherd.errors import InvalidArguments
from goatherd.model.redaction import redacted, restored

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.letter_edits import Edited
    from goatherd.model.dead_letter import DeadLetter


def edit(app: Goatherd, letter: DeadLetter) -> Edited:
    """The arguments as the user leaves them; raises Failed when nothing was changed or nothing can be."""
    if letter.arguments is None:
        raise Failed(f"The arguments of dead letter {letter.id} cannot be read, so they cannot be edited.")
    hidden = app.settings.redact
    text = msgspec.json.format(msgspec.json.encode(redacted(letter.arguments, hidden)), indent=2).decode() + "\n"
    while True:
        written = click.edit(text, extension=".json")
        if written is None or written.strip() == text.strip():
            raise Failed("Nothing was changed, so nothing was replayed. Without --edit it is replayed as it is.")
        try:
            return checked(app, letter, restored(read_object(written), letter.arguments, hidden))
        except (Failed, InvalidArguments) as error:
            told = error.message if isinstance(error, Failed) else str(error)
            if not sys.stdin.isatty():
                raise
            click.echo(told, err=True)
            click.confirm("Edit again?", default=True, abort=True, err=True)
            text = written


def read_object(text: str) -> dict[str, Any]:
    """Arguments by name; raises Failed."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        raise Failed(
            f"The arguments must be a JSON object by name: {error}. Nothing was replayed.", exit_code=2
        ) from error


def checked(app: Goatherd, letter: DeadLetter, arguments: dict[str, Any]) -> Edited:
    """The same arguments, once they fit the letter's task; raises InvalidArguments."""
    from goatherd.desk import letter_edits

    edited = letter_edits.checked(app, letter, arguments)
    if edited.note:
        click.echo(f"Note: {edited.note}", err=True)
    return edited
