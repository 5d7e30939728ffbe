"""Other arguments for a dead letter: given as JSON or written in an editor, and checked like those of a new job."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
import msgspec

from goatherd.cli.arguments import job_by_name
from goatherd.cli.output import Failed
from goatherd.cli.redaction import redacted, restored
from goatherd.errors import InvalidArguments

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import DeadLetter


def edit(app: Goatherd, letter: DeadLetter) -> Mapping[str, Any]:
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


def checked(app: Goatherd, letter: DeadLetter, arguments: dict[str, Any]) -> dict[str, Any]:
    """The same arguments, once they fit the letter's task; raises InvalidArguments."""
    task = app.tasks.get(letter.task or "")
    if task is None:
        return arguments  # done by another program, which checks them itself
    if task.definition.signature.whole_body:
        task.job(arguments)
    else:
        job_by_name(task, arguments)
    return arguments
