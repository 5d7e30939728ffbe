"""`goatherd schedules resume`: let a paused schedule fire again."""

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
def resume(output: Output, target: str, name: str) -> None:
    """Let a paused schedule fire again, from now on: ticks in the time of the pause are not made up for.

    \b
    Example:
      goatherd schedules resume shop:app archive
    """
    asyncio.run(_resume(load_app(target), name))
    if output.json:
        output.write_json({"name": name, "paused": False})
    else:
        output.say(f"{name} fires again. To see when: goatherd schedules next {target} {name}")


async def _resume(app: Goatherd, name: str) -> None:
    from goatherd.desk.schedules import set_paused

    async with opened_schedules(app) as operations:
        await set_paused(app, operations, name, paused=False)
