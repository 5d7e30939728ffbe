"""Lanes as tables: once, again and again, and what waits in one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import msgspec
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goatherd.app import Goatherd
from goatherd.cli.durations import spoken
from goatherd.cli.lane_access import opened_lanes
from goatherd.cli.letter_tables import ago, error_text
from goatherd.cli.output import Output
from goatherd.cli.redaction import printable
from goatherd.cli.tables import plain_table
from goatherd.desk.lane_finding import LaneChoice, read_lanes
from goatherd.desk.lane_looks import LaneJobFacts, LaneLook, names_of
from goatherd.model.lane import LaneState

#: Seconds between two looks of `--watch`.
EVERY = 1.0

_COLOURS = {"ready": "", "running": "green", "waiting": "yellow", "held": "red"}


def lane_table(lanes: Sequence[LaneLook]) -> Table:
    """One line for each lane."""
    table = plain_table()
    table.add_column("lane", overflow="fold", min_width=8)
    table.add_column("state", no_wrap=True)
    for name in ("jobs", "since", "until"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("task", no_wrap=True)
    table.add_column("job", no_wrap=True, style="cyan")
    table.add_column("who or why")
    names, now = names_of([lane.state for lane in lanes]), time.time()
    for lane in lanes:
        state, head = lane.state, lane.head
        table.add_row(
            Text(printable(names[state.key])),
            Text(state.condition, _COLOURS[state.condition]),
            f"{state.length:,}",
            spoken(max(0.0, now - state.since)),
            Text("-", "dim") if state.until is None else f"in {spoken(max(0.0, state.until - now))}",
            Text(printable((head.task if head is not None else None) or "?")),
            Text(printable(head.job_id[-12:] if head is not None else "-")),
            _reason(state),
        )
    return table


def job_table(jobs: Sequence[LaneJobFacts]) -> Table:
    """The jobs of a lane, in their order."""
    table = plain_table()
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("job", no_wrap=True, style="cyan")
    table.add_column("task", no_wrap=True)
    table.add_column("accepted", justify="right", no_wrap=True)
    table.add_column("arguments")
    for place, job in enumerate(jobs, 1):
        told = "cannot be read" if job.arguments is None else msgspec.json.encode(job.arguments).decode()
        arguments = Text(printable(told), no_wrap=True, overflow="ellipsis")
        table.add_row(str(place), Text(printable(job.job_id)), _task(job), ago(job.accepted_at), arguments)
    return table


async def watch_lanes(app: Goatherd, choice: LaneChoice, output: Output) -> None:
    """Show the table until Ctrl-C; on a pipe one after the other, as JSON one line each time."""
    console = output.console()
    if console.is_terminal and not output.json:
        with Live(console=console, auto_refresh=False) as live:
            async for lanes in _looks(app, choice):
                live.update(lane_table(lanes), refresh=True)
    async for lanes in _looks(app, choice):
        if output.json:
            output.write_json([lane.facts() for lane in lanes], one_line=True)
        else:
            console.print(lane_table(lanes))


async def _looks(app: Goatherd, choice: LaneChoice) -> AsyncIterator[list[LaneLook]]:
    async with opened_lanes(app) as operations:
        while True:
            yield await read_lanes(app, operations, choice)
            await asyncio.sleep(EVERY)


def _reason(state: LaneState) -> Text:
    """Who has it, or why it does not move; where that is too long, this column gives way, and no other."""
    if state.burial is not None:
        return error_text(state.burial.error_type, state.burial.message)
    return Text(printable(state.worker or ""), no_wrap=True, overflow="ellipsis")


def _task(job: LaneJobFacts) -> Text:
    return Text(printable(job.task or "?"))
