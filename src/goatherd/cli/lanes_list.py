"""`goatherd lanes list`: who has each lane, what waits, and why."""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from goatherd.cli.lane_access import opened_lanes
from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.lane_facts import LaneFacts
    from goatherd.model.lane import LaneCondition
    from goatherd.ports.lanes import LaneOperations


@dataclass(frozen=True, kw_only=True)
class LaneChoice:
    """Which lanes are shown."""

    text: str
    held: bool
    limit: int


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
    app = load_app(target)
    choice = LaneChoice(text=text, held=held, limit=limit)
    if watch:
        from goatherd.cli.lane_tables import watch_lanes

        with suppress(KeyboardInterrupt):  # the way to end it
            asyncio.run(watch_lanes(app, choice, output))
        return
    found = asyncio.run(_find(app, choice))
    if output.json:
        output.write_json([lane.as_json() for lane in found])
    elif not found:
        output.say("No lane matches." if text or held else "No lanes: nothing waits in order.")
    else:
        _print(output, target, choice, found)


async def _find(app: Goatherd, choice: LaneChoice) -> list[LaneFacts]:
    async with opened_lanes(app) as operations:
        return await read_lanes(app, operations, choice)


async def read_lanes(app: Goatherd, operations: LaneOperations, choice: LaneChoice) -> list[LaneFacts]:
    """The lanes that are chosen, as they stand."""
    from goatherd.cli.lane_facts import read_lane

    condition: LaneCondition | None = "held" if choice.held else None
    states = await operations.find(condition=condition, containing=choice.text, limit=choice.limit)
    return [await read_lane(app, operations, state) for state in states]


def _print(output: Output, target: str, choice: LaneChoice, found: list[LaneFacts]) -> None:
    from goatherd.cli.lane_facts import held_among, names_of
    from goatherd.cli.lane_tables import lane_table

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
