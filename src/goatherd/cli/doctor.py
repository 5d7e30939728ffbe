"""`goatherd doctor`: find out what is wrong, and how to mend it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.check import Check

MARKS = {"well": ("✓", "green"), "warning": ("!", "yellow"), "wrong": ("✗", "red")}


@click.command()
@target_argument
@with_output
def doctor(output: Output, target: str) -> int:
    """Look at all that the app uses, from settings to dead letters, and say how to mend what is not well.

    ✓ is well, ! works but wants a look, ✗ does not work. Exit code 1 if there is a ✗ or the app cannot be imported,
    2 for wrong usage, otherwise 0. Each server has seconds to answer, so it ends in a minute or so, whatever hangs.
    Nothing is changed, but for the store and the queues of the app, which are made as by any program that starts; what
    was missing is told.

    Among others it finds: a Redis that forgets or throws keys away, time-outs and prefetch that do not fit RabbitMQ's
    consumer_timeout, dead letters that lead nowhere, a topology that differs, disks that are nearly full, a PostgreSQL
    with too few connections or without synchronous commit, clocks that differ, too few open files, SQLite on a network
    file system, and a missing secret.

    \b
    Example:
      goatherd doctor shop:app
    """
    app = load_app(target, starts=True)
    with nullcontext() if output.verbose else _unheard_log():
        checks = asyncio.run(_gather(app, target))
    ill = any(check.state == "wrong" for check in checks)
    if output.json:
        output.write_json({"well": not ill, "checks": checks})
    else:
        _print(output, checks)
    return 1 if ill else 0


async def _gather(app: Goatherd, target: str) -> list[Check]:
    from goatherd.cli.checks import examine

    return [check async for check in examine(app, target)]


@contextmanager
def _unheard_log() -> Iterator[None]:
    """What a program would log while it starts is among what is found, and need not be told twice."""
    log, nobody = logging.getLogger("goatherd"), logging.NullHandler()
    passed_on, log.propagate = log.propagate, False
    log.addHandler(nobody)
    try:
        yield
    finally:
        log.removeHandler(nobody)
        log.propagate = passed_on


def _print(output: Output, checks: list[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 1))
    for width in (1, 12, None):
        table.add_column(width=width, no_wrap=width is not None, overflow="fold")
    for check in checks:
        mark, colour = MARKS[check.state]
        table.add_row(Text(mark, colour), Text(check.name, "bold"), Text(check.found))
        if check.mend:
            table.add_row("", "", Text(f"→ {check.mend}", "cyan"))
    output.console().print(table)
