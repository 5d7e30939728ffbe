"""`goatherd schedules pause`: let a schedule fire no more for now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.schedule_access import name_argument, opened_schedules
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd


@click.command()
@target_argument
@name_argument
@with_output
def pause(output: Output, target: str, name: str) -> None:
    """Let a schedule fire no more, in all processes, until it is resumed.

    What has fired goes on. A paused schedule can still be fired by hand, with `goatherd schedules trigger`.

    \b
    Example:
      goatherd schedules pause shop:app archive
    """
    asyncio.run(_pause(load_app(target), name))
    if output.json:
        output.write_json({"name": name, "paused": True})
    else:
        output.say(f"{name} is paused. To let it fire again: goatherd schedules resume {target} {name}")


async def _pause(app: Goatherd, name: str) -> None:
    from goatherd.desk.schedules import set_paused

    async with opened_schedules(app) as operations:
        await set_paused(app, operations, name, paused=True)
