"""A run that is drawn again and again, until it has ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from goatherd.cli.durations import spoken
from goatherd.cli.redaction import printable
from goatherd.cli.run_access import opened_records
from goatherd.cli.run_picture import Picture
from goatherd.desk.run_finding import code_of, find_run
from goatherd.desk.run_looks import look_json, steps_of

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.output import Output
    from goatherd.model.run_record import RunLook

#: Seconds between two looks.
EVERY = 0.5


async def watch_run(app: Goatherd, run: str, output: Output) -> RunLook:
    """Show it until it has ended, or is forgotten, and give it as it is then; on a pipe one drawing after the other."""
    console = output.console()
    looks = _looks(app, run)
    look = await anext(looks)
    if console.is_terminal and not output.json:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            live.update(_drawn(app, look, console), refresh=True)
            async for look in looks:
                live.update(_drawn(app, look, console), refresh=True)
        return look
    _tell(app, look, output, console)
    async for look in looks:
        _tell(app, look, output, console)
    return look


async def _looks(app: Goatherd, run: str) -> AsyncIterator[RunLook]:
    async with opened_records(app) as operations:
        look: RunLook | None = await find_run(app, operations, run)
        while look is not None:
            yield look
            if look.summary.state != "running":
                return
            await asyncio.sleep(EVERY)
            look = await operations.look(look.summary.id)


def _tell(app: Goatherd, look: RunLook, output: Output, console: Console) -> None:
    if output.json:
        steps = steps_of(look, code_of(app, look.summary.pipeline))
        output.write_json(look_json(app, look, steps), one_line=True)
    elif look.summary.state == "running":
        console.print(_drawn(app, look, console), soft_wrap=True)


def _drawn(app: Goatherd, look: RunLook, console: Console) -> Group:
    run, now = look.summary, time.time()
    heading = (
        f"{run.id}: {run.state} for {spoken(max(0.0, now - run.created))}, {run.steps_done} of {run.steps} steps done"
    )
    shown = printable(heading).encode(console.encoding, "backslashreplace").decode(console.encoding)
    steps = steps_of(look, code_of(app, run.pipeline))
    picture = Picture(steps, width=console.width, encoding=console.encoding, now=now)
    return Group(Text(shown, "bold", no_wrap=True, overflow="crop"), *picture.lines(), Text())
