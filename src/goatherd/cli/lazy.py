"""A group of commands that are imported only when they are used, so that `--help` stays fast."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is and what the list of commands says about it."""

    home: str
    summary: str


class LazyGroup(click.Group):
    """Reads names and summaries from a table and imports a command when it is called."""

    def __init__(self, name: str, entries: Mapping[str, Entry], *, help: str) -> None:
        settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        super().__init__(name, help=help, context_settings=settings, no_args_is_help=True)
        self._entries = dict(entries)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(self._entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is no such name."""
        entry = self._entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.home.partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed; an unknown one names the nearest."""
        typed = args[0]
        if typed not in self._entries and not typed.startswith("-"):
            near = difflib.get_close_matches(typed, self._entries, n=1)
            instead = f" Did you mean {near[0]!r}?" if near else f" There are {', '.join(self._entries)}."
            raise click.UsageError(f"There is no command {typed!r}.{instead}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self._entries.items()])
