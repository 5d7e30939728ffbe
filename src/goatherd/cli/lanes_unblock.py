"""`goatherd lanes unblock`: take a lane from the worker that has it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from goatherd.cli.durations import spoken
from goatherd.cli.lane_access import key_argument, opened_lanes
from goatherd.cli.output import Output, agree, with_output
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.lane_looks import LaneLook


@click.command()
@target_argument
@key_argument
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_output
def unblock(output: Output, target: str, key: str, yes: bool) -> None:
    """Take a lane from the worker that has it, so that another one can start its first job again.

    For a worker that hangs but still says that it lives; a lane of one that died is given to others when its lease runs
    out. What the old attempt does to the lane from now on counts for nothing, and it is stopped when its worker hears
    of it. But until then its code may go on: what it writes elsewhere is only kept out by ctx.fence or
    ctx.commit_with.

    \b
    Example:
      goatherd lanes unblock shop:app post_id=7
    """
    app = load_app(target)
    lane = asyncio.run(_look(app, key))
    agree(_question(lane), yes=yes)
    asyncio.run(_unblock(app, lane))
    if output.json:
        output.write_json({"key": lane.state.key, "worker": lane.state.worker, "head": lane.head})
    else:
        output.say(_told(lane))


async def _look(app: Goatherd, key: str) -> LaneLook:
    from goatherd.desk.lane_moves import held_by_worker

    async with opened_lanes(app) as operations:
        return await held_by_worker(app, operations, key)


async def _unblock(app: Goatherd, lane: LaneLook) -> None:
    from goatherd.desk.lane_moves import unblock_lane

    async with opened_lanes(app) as operations:
        await unblock_lane(operations, lane)


def _question(lane: LaneLook) -> str:
    import time

    from goatherd.model.lane import shown

    job = "its first job" if lane.head is None else lane.head.named
    since = spoken(max(0.0, time.time() - lane.state.since))
    return (
        f"Worker {lane.state.worker} has had lane {shown(lane.state.key)} for {since}, with {job}. Its code may still "
        f"run, and then runs beside the next attempt for a while. Take the lane from it?"
    )


def _told(lane: LaneLook) -> str:
    from goatherd.model.lane import shown

    job = "its first job" if lane.head is None else lane.head.named
    return (
        f"Took lane {shown(lane.state.key)} from worker {lane.state.worker}: the next free worker starts {job} again. "
        f"What the old attempt still does to the lane counts for nothing."
    )
