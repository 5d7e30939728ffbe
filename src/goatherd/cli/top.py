"""`goatherd top`: how everything stands, live."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd


@click.command()
@target_argument
@click.option("--once", is_flag=True, help="Show it once and end; 1 is the exit code if the queues cannot be seen.")
@with_output
def top(output: Output, target: str, once: bool) -> int:
    """Show queues, workers, schedules, listeners and lanes, anew every second.

    Keys: q ends it, p holds the picture, s sorts by another column. What does not answer is shown as it was last seen,
    with its age and why; the rest goes on. Without a terminal that can be drawn on, one picture follows the other.

    \b
    ready    may start now               running  in a worker's hands
    ±/s      how fast ready grows        delayed  wait for their time
    in/s     messages that come in       takers   workers that take from it
    out/s    messages that are done      oldest   wait of the oldest ready job
    (in/s and out/s: RabbitMQ counts them, if its management API can be reached)

    \b
    Examples:
      goatherd top shop:app
      goatherd top shop:app --once --json
    """
    app = load_app(target)
    with suppress(KeyboardInterrupt):  # a way to end it
        return asyncio.run(_show(app, output, once=once))
    return 0


async def _show(app: Goatherd, output: Output, *, once: bool) -> int:
    from goatherd.cli.top_parts import TopParts
    from goatherd.cli.top_screen import LastWords, print_on, show_live, show_once
    from goatherd.cli.top_sources import running

    parts = TopParts(app)
    console = output.console()
    with LastWords() as words:
        async with running(parts.sources):
            if once:
                await show_once(parts, output, console)
                return 1 if parts.queues.trouble is not None else 0
            if console.is_terminal and not console.is_dumb_terminal and not output.json:
                await show_live(parts, console, words)
            else:
                await print_on(parts, output, console)
    return 0
