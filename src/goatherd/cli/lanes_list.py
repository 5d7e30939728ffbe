"""`goatherd lanes list`: who has each lane, what waits, and why."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from goatherd.cli.lane_access import opened_lanes
from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.lane_finding import LaneChoice
    from goatherd.desk.lane_looks import LaneLook


@click.command("list")
@target_argument
@click.argument("text", required=False, default="")
@click.option("--held", is_flag=True, help="Only lanes that wait for you.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="At most N.")
@click.option("--watch", is_flag=True, help="Show it anew every second until Ctrl-C.")
@with_output
def list_lanes(output: Output, target: str, text: str, held: bool, limit: int, watch: bool) -> None:
    """Show lanes with jobs in them, those that are held first; with TEXT only those that have it in their key.

    \b
    ready    its first job may start now   waiting  for its time or next attempt
    running  a worker does its first job   held     for you: lanes retry or skip

    \b
    Examples:
      goatherd lanes list shop:app --held
      goatherd lanes list shop:app post_id=7
      goatherd lanes list shop:app --watch
    """
    from goatherd.desk.lane_finding import LaneChoice

    app = load_app(target)
    choice = LaneChoice(text=text, condition="held" if held else None, limit=limit)
    if watch:
        from goatherd.cli.lane_tables import watch_lanes

        with suppress(KeyboardInterrupt):  # the way to end it
            asyncio.run(watch_lanes(app, choice, output))
        return
    found = asyncio.run(_find(app, choice))
    if output.json:
        output.write_json([lane.facts() for lane in found])
    elif not found:
        output.say("No lane matches." if text or held else "No lanes: nothing waits in order.")
    else:
        _print(output, target, choice, found)


async def _find(app: Goatherd, choice: LaneChoice) -> list[LaneLook]:
    from goatherd.desk.lane_finding import read_lanes

    async with opened_lanes(app) as operations:
        return await read_lanes(app, operations, choice)


def _print(output: Output, target: str, choice: LaneChoice, found: list[LaneLook]) -> None:
    from goatherd.cli.lane_tables import lane_table
    from goatherd.desk.lane_looks import held_among, names_of

    output.console().print(lane_table(found))
    more = " There may be more: --limit." if len(found) == choice.limit else ""
    click.echo(f"\n{counted(len(found), 'lane')}.{more}")
    held = held_among(found)
    if held is not None:
        key = shlex.quote(names_of([lane.state for lane in found])[held.state.key])
        click.echo(
            f"To see why one is held, and to help it on:\n"
            f"  goatherd lanes show {target} {key}\n"
            f"  goatherd lanes retry {target} {key}   (or skip)"
        )
