"""Writes docs/reference/cli.md from the commands themselves: python -m scripts.cli_reference."""

from collections.abc import Iterator
from pathlib import Path

import click

from goatherd.cli.main import cli

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
WIDTH = 100

HEAD = """\
# Commands

<!-- Made by `python -m scripts.cli_reference`; change the help texts in src/goatherd/cli instead. -->

- `MODULE:APP` is your app: `shop:app` is the variable `app` in `shop.py`. The folder that you are in is searched first.
- A span of time is written as `90`, `90s`, `1h30m` or `2d`; a time as `2030-01-31T09:00` (here) or `2030-01-31T09:00Z`.
- `--json` writes JSON on standard output, for programs; logs and sentences go to standard error.
- Exit codes: 0 well, 1 failed, 2 wrong usage; `topology plan`, `apply` and `diff` say with 2 that something differs.
- `goatherd completion` prints a script with which your shell completes all of this.
"""


def render() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_section(context) for context in contexts())])


def contexts() -> Iterator[click.Context]:
    """Every command in the order of the help, groups before their commands."""
    yield from _below(click.Context(cli, info_name="goatherd", terminal_width=WIDTH, **cli.context_settings))


def _below(context: click.Context) -> Iterator[click.Context]:
    yield context
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            assert command is not None, f"{name} is in its group's list"
            yield from _below(click.Context(command, info_name=name, parent=context))


def _section(context: click.Context) -> str:
    return f"## {context.command_path}\n\n```text\n{context.get_help()}\n```\n"


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
