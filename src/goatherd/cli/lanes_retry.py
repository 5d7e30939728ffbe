"""`goatherd lanes retry`: try the first job of a lane again, now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.lane_access import opened_lanes
from goatherd.cli.lane_actions import check_choice, chosen_lanes, told_of_all
from goatherd.cli.output import Output, agree, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.lane_looks import LaneLook
    from goatherd.desk.lane_moves import Moved


@click.command()
@target_argument
@click.argument("key", required=False)
@click.option("--all", "everything", is_flag=True, help="Every lane that is held.")
@click.option("--yes", is_flag=True, help="Do not ask before --all.")
@with_output
def retry(output: Output, target: str, key: str | None, everything: bool, yes: bool) -> None:
    """Let the first job of a lane be tried again now, in its place, with all its attempts ahead of it.

    For a lane that is held, once the cause is mended; and for one that waits, to try at once. The jobs behind it go on
    waiting until it is done. KEY is post_id=7 or, in full, comments/post_id=7.

    \b
    Examples:
      goatherd lanes retry shop:app post_id=7
      goatherd lanes retry shop:app --all
    """
    check_choice(key, everything=everything)
    app = load_app(target)
    lanes = asyncio.run(chosen_lanes(app, key, "retry"))
    if everything and lanes:
        agree(f"Try the first job of {counted(len(lanes), 'held lane')} again?", yes=yes)
    done = asyncio.run(_retry(app, lanes))
    if not everything and not done:
        from goatherd.desk.lane_moves import gone_on

        raise gone_on(lanes[0].state, "retry")
    if output.json:
        output.write_json({"retried": done})
    elif everything:
        output.say(told_of_all(done, len(lanes), "Trying again the first job of"))
    else:
        output.say(_told(done[0]))


async def _retry(app: Goatherd, lanes: Sequence[LaneLook]) -> list[Moved]:
    from goatherd.desk.lane_moves import retry_lanes

    async with opened_lanes(app) as operations:
        return await retry_lanes(app, operations, lanes)


def _told(lane: Moved) -> str:
    from goatherd.model.lane import shown

    waits = "waits" if lane.behind == 1 else "wait"
    behind = f"; {counted(lane.behind, 'job')} behind it {waits} until it is done" if lane.behind else ""
    return f"{lane.task or 'The job'} {lane.job_id}, the first of lane {shown(lane.key)}, is tried again now{behind}."
