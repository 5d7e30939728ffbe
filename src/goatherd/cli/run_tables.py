"""Runs as a table: once, or again and again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING

from rich.live import Live
from rich.table import Table
from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.letter_tables import error_text
from goatherd.cli.redaction import printable
from goatherd.cli.run_access import opened_records
from goatherd.cli.tables import plain_table
from goatherd.desk.run_facts import run_facts
from goatherd.desk.run_looks import short_run

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.output import Output
    from goatherd.model.run_record import RunFilter, RunSummary

#: Seconds between two looks of `--watch`.
EVERY = 1.0

COLOURS = {"running": "green", "done": "", "failed": "red", "cancelled": "yellow"}


def run_table(runs: Sequence[RunSummary]) -> Table:
    """One line for each run."""
    table = plain_table()
    table.add_column("run", overflow="fold", min_width=8, style="cyan")
    table.add_column("pipeline", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for name in ("steps", "began", "took"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("where or why")
    now = time.time()
    for run in runs:
        table.add_row(
            Text(printable(short_run(run.id))),
            Text(printable(run.pipeline)),
            Text(run.state, COLOURS[run.state]),
            f"{run.steps_done}/{run.steps}",
            f"{spoken(max(0.0, now - run.created))} ago",
            spoken(max(0.0, (run.ended_at or now) - run.created)),
            _reason(run),
        )
    return table


async def watch_runs(app: Goatherd, wanted: RunFilter, limit: int, output: Output) -> None:
    """Show the table until Ctrl-C; on a pipe one after the other, as JSON one line each time."""
    console = output.console()
    if console.is_terminal and not output.json:
        with Live(console=console, auto_refresh=False) as live:
            async for runs in _looks(app, wanted, limit):
                live.update(run_table(runs), refresh=True)
    async for runs in _looks(app, wanted, limit):
        if output.json:
            output.write_json([run_facts(run) for run in runs], one_line=True)
        else:
            console.print(run_table(runs))


async def _looks(app: Goatherd, wanted: RunFilter, limit: int) -> AsyncIterator[Sequence[RunSummary]]:
    async with opened_records(app) as operations:
        while True:
            yield await operations.find(wanted, limit)
            await asyncio.sleep(EVERY)


def _reason(run: RunSummary) -> Text:
    """Where it is, or why it does not go on; where that is too long, this column gives way, and no other."""
    where = ", ".join(run.now_at)
    if run.trouble is None or run.state != "failed":
        return Text(printable(where), no_wrap=True, overflow="ellipsis")
    error = error_text(run.trouble.error_type, run.trouble.message)
    return Text.assemble(printable(f"{where}: ") if where else "", error, no_wrap=True, overflow="ellipsis")
