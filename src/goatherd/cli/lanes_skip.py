"""`goatherd lanes skip`: put the first job of a lane to the dead letters, and go on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.lane_actions import check_choice, chosen_lanes, told_of_all
from goatherd.cli.output import Output, agree, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.lane_looks import LaneJobFacts, LaneLook
    from goatherd.desk.lane_moves import Moved


@click.command()
@target_argument
@click.argument("key", required=False)
@click.option("--all", "everything", is_flag=True, help="Every lane that is held.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_output
def skip(output: Output, target: str, key: str | None, everything: bool, yes: bool) -> None:
    """Put the first job of a lane, which is held or waits, to the dead letters, and let the lane go on.

    The job is kept there with why it failed. If you put it back to work later (goatherd dead replay), it goes to the
    end of its lane: what is behind it now will have been done before it. KEY is post_id=7 or, in full,
    comments/post_id=7.

    \b
    Examples:
      goatherd lanes skip shop:app post_id=7
      goatherd lanes skip shop:app --all --yes
    """
    check_choice(key, everything=everything)
    app = load_app(target)
    lanes = asyncio.run(chosen_lanes(app, key, "skip"))
    if lanes:
        agree(_question(lanes, everything=everything), yes=yes)
    done, after = asyncio.run(_skip(app, lanes))
    if not everything and not done:
        from goatherd.desk.lane_moves import gone_on

        raise gone_on(lanes[0].state, "skip")
    if output.json:
        output.write_json({"skipped": done})
    elif everything:
        output.say(told_of_all(done, len(lanes), "Put to the dead letters the first job of"))
    else:
        output.say(_told(target, done[0], after))


def _question(lanes: Sequence[LaneLook], *, everything: bool) -> str:
    from goatherd.model.lane import shown

    if everything:
        return f"Put the first job of {counted(len(lanes), 'held lane')} to the dead letters?"
    [lane] = lanes
    job = "the first job" if lane.head is None else lane.head.named
    behind = lane.state.length - 1
    goes_on = f" and go on with the {counted(behind, 'job')} behind it" if behind else ""
    return f"Put {job} of lane {shown(lane.state.key)} to the dead letters{goes_on}?"


async def _skip(app: Goatherd, lanes: Sequence[LaneLook]) -> tuple[list[Moved], LaneJobFacts | None]:
    """What was skipped and, of the first lane, what goes next."""
    from goatherd.desk.lane_looks import job_facts
    from goatherd.desk.lane_moves import skip_lanes

    async with app:
        operations = (await app.session().lanes()).operations
        done = await skip_lanes(app, operations, lanes)
        behind = await operations.jobs(lanes[0].state.key, 1) if lanes else ()
    return done, job_facts(app, behind[0]) if behind else None


def _told(target: str, lane: Moved, after: LaneJobFacts | None) -> str:
    from goatherd.model.lane import shown

    goes_on = "is empty now" if after is None else f"goes on with {after.named}"
    return (
        f"{lane.task or 'The job'} {lane.job_id} is a dead letter now, and lane {shown(lane.key)} {goes_on}.\n"
        f"To see it, or to put it back at the end of the lane: goatherd dead show {target} {lane.job_id}"
    )
