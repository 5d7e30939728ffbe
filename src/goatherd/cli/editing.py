"""Other arguments for a dead letter: given as JSON or written in an editor, and checked like those of a new job."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click
import msgspec

from goatherd.cli.arguments import check_on_queue, job_by_name
from goatherd.cli.output import Failed
from goatherd.cli.redaction import redacted, restored
from goatherd.errors import InvalidArguments
from goatherd.listening import Listener

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.dead_letter import DeadLetter


@dataclass(frozen=True, kw_only=True)
class Edited:
    """Other arguments, and the lane to which the job belongs with them."""

    arguments: Mapping[str, Any]
    #: Its full key; None if there is none, or if it is not known here.
    lane: str | None


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
    task = app.tasks.get(letter.task or "")
    if task is None:
        if letter.key is not None:
            told = f"{letter.task} is no task of this app, so its job goes back to lane {letter.key}"
            click.echo(f"Note: {told}, whatever its arguments say now.", err=True)
        return Edited(arguments=arguments, lane=None)  # done by another program, which checks them itself
    if isinstance(task, Listener):
        check_on_queue(task, letter.queue, arguments)
        return Edited(arguments=arguments, lane=None)
    whole_body = task.definition.signature.whole_body
    job = task.job(arguments) if whole_body else job_by_name(task, arguments)
    return Edited(arguments=arguments, lane=job.lane)
