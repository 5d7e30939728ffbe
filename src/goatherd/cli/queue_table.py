"""Queues as a table, once or again and again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

from rich.live import Live
from rich.table import Table
from rich.text import Text

from goatherd.app import Goatherd
from goatherd.cli.durations import spoken
from goatherd.cli.output import Output
from goatherd.cli.queues import read_states
from goatherd.cli.tables import plain_table
from goatherd.desk.queues import QueueCondition, condition_of
from goatherd.model.topology import QueueState

#: Seconds between two looks of `--watch`.
EVERY = 1.0

_COLOURS: dict[QueueCondition, str] = {
    "replaced": "yellow", "paused": "yellow", "no worker": "red", "busy": "green", "idle": "dim",
}  # fmt: skip


def queue_table(states: Sequence[QueueState]) -> Table:
    """One line for each queue."""
    table = plain_table()
    table.add_column("queue", overflow="fold", min_width=8)
    for name in ("ready", "delayed", "running", "consumers", "oldest", "dead"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    for state in states:
        table.add_row(
            state.name,
            _number(state.ready),
            _number(state.delayed),
            _number(state.running),
            _number(state.consumers),
            Text("-", "dim") if state.oldest_age is None else spoken(state.oldest_age),
            Text(f"{state.dead:,}", "red") if state.dead else _number(state.dead),
            _state(state),
        )
    return table


async def watch_queues(app: Goatherd, queue: str | None, output: Output) -> None:
    """Show the table until Ctrl-C; on a pipe one after the other, as JSON one line each time."""
    console = output.console()
    async with app:
        if console.is_terminal and not output.json:
            with Live(console=console, auto_refresh=False) as live:
                async for states in _looks(app, queue):
                    live.update(queue_table(states), refresh=True)
        async for states in _looks(app, queue):
            if output.json:
                output.write_json(states, one_line=True)
            else:
                console.print(queue_table(states))


async def _looks(app: Goatherd, queue: str | None) -> AsyncIterator[Sequence[QueueState]]:
    while True:
        yield await read_states(app, queue)
        await asyncio.sleep(EVERY)


def _number(count: int | None) -> Text:
    return Text("-" if count is None else f"{count:,}", "" if count else "dim")


def _state(state: QueueState) -> Text:
    condition = condition_of(state)
    return Text(condition, _COLOURS[condition])
