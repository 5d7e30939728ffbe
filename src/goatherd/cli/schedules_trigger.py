"""`goatherd schedules trigger`: fire a schedule now, once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.schedule_access import name_argument, opened_schedules
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.schedule import Firing


@click.command()
@target_argument
@name_argument
@with_output
def trigger(output: Output, target: str, name: str) -> None:
    """Fire a schedule now, once, whether it is paused or not; its next tick comes as if nothing had happened.

    A running scheduler begins it. Where runs must not overlap and one is worked on, it waits for that one's end.

    \b
    Example:
      goatherd schedules trigger shop:app archive
    """
    app = load_app(target)
    firing = asyncio.run(_trigger(app, name))
    if output.json:
        from goatherd.desk.schedule_facts import firing_facts

        output.write_json({"name": name, "firing": firing_facts(firing)})
    else:
        soon = "waits for the end of what is worked on" if firing.state == "waiting" else "begins"
        run = f" To see its run: goatherd runs show {target} '{firing.id}'" if name in app.ticks else ""
        output.say(f"{name} {soon} as {firing.id}, as soon as a scheduler sees it.{run}")


async def _trigger(app: Goatherd, name: str) -> Firing:
    from goatherd.desk.schedules import fire

    async with opened_schedules(app) as operations:
        return await fire(app, operations, name)
