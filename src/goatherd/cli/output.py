"""What every command shares: `--json`, `--verbose`, and errors as one clear paragraph."""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import textwrap
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from goatherd.errors import GoatherdError, InvalidArguments

if TYPE_CHECKING:
    from rich.console import Console

#: Columns of a table that goes into a file or a pipe, where nothing should be cut.
WIDE = 5000


class Failed(click.ClickException):
    """The command could not do what was asked; told on standard error."""

    def __init__(self, message: str, *, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code  # type: ignore[misc]  # click reads it from the instance

    def show(self, file: Any = None) -> None:
        """Write the paragraph."""
        show_error(self.message)


def show_error(message: str) -> None:
    """Write a paragraph on standard error, folded between words where a person reads it."""
    text = f"Error: {message}"
    if sys.stderr.isatty():
        text = click.style("Error:", fg="red", bold=True) + _folded(text).removeprefix("Error:")
    click.echo(text, err=True)


def show_usage_error(error: click.UsageError) -> None:
    """The same, after how the command is meant to be used."""
    if error.ctx is not None:
        click.echo(f"{error.ctx.get_usage()}\nHelp: {error.ctx.command_path} --help\n", err=True)
    show_error(error.format_message())


@dataclass(frozen=True, kw_only=True)
class Output:
    """How the user wants to be told."""

    json: bool
    verbose: bool

    def write_json(self, told: object, *, one_line: bool = False) -> None:
        """One JSON document on standard output."""
        import msgspec

        encoded = msgspec.json.encode(told)
        click.echo(encoded if one_line else msgspec.json.format(encoded, indent=2))

    def say(self, text: str) -> None:
        """A sentence for people: on standard error when standard output is for a program."""
        click.echo(text, err=self.json)

    def console(self, *, stderr: bool = False) -> Console:
        """Where tables go."""
        return console(stderr=stderr)


def console(*, stderr: bool = False) -> Console:
    """A terminal, or a file that is as wide as needed; colours only where they can be seen."""
    from rich.console import Console

    made = Console(stderr=stderr, highlight=False)
    if not made.is_terminal and "COLUMNS" not in os.environ:
        made.width = WIDE
    return made


def with_output(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--json` and `--verbose`, and tell its errors without a traceback."""

    @click.option("--json", "as_json", is_flag=True, help="Write JSON on standard output, for programs.")
    @click.option("-v", "--verbose", is_flag=True, help="Say more, and show where an error came from.")
    @functools.wraps(function)
    def command(*, as_json: bool, verbose: bool, **given: Any) -> Any:
        try:
            return function(output=Output(json=as_json, verbose=verbose), **given)
        except GoatherdError as error:
            if verbose:
                traceback.print_exception(error)
            from goatherd.desk.errors import for_shell

            # Arguments come from the command line, so wrong ones are wrong usage.
            raise Failed(for_shell(error), exit_code=2 if isinstance(error, InvalidArguments) else 1) from error

    return command


def agree(question: str, *, yes: bool) -> None:
    """Ask before something that cannot be undone; raises Abort, or UsageError where nobody can answer."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Nobody can answer here; add --yes to do it without asking.")
    click.confirm(question, abort=True, err=True)


def without_password(url: str) -> str:
    """An address that may be shown."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1:***@", url)


def _folded(text: str) -> str:
    width = max(40, shutil.get_terminal_size().columns)
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + (2 if line.lstrip().startswith("- ") else 0))
        lines += textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return "\n".join(lines)
