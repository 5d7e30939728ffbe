"""What retry and skip share: which lanes are meant, and what became of each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from goatherd.cli.lane_access import find_lane, opened_lanes
from goatherd.cli.output import Failed
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.lane_facts import LaneFacts
    from goatherd.model.lane import LaneJob, LaneState

#: Held lanes that `--all` means at most.
MOST = 10_000


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What was done to one lane; it is JSON for programs, too."""

    key: str
    job_id: str
    task: str | None
    #: Jobs behind it.
    behind: int


def check_choice(key: str | None, *, everything: bool) -> None:
    """One lane, or all that are held; raises UsageError."""
    if (key is None) == (not everything):
        raise click.UsageError("Say which lane, by its key, or --all for every lane that is held.")


async def chosen_lanes(app: Goatherd, key: str | None, what: str) -> list[LaneFacts]:
    """The lane that is named, or all that are held, as the user is asked about them; raises Failed."""
    from goatherd.cli.lane_facts import read_lane

    async with opened_lanes(app) as operations:
        if key is None:
            states = await operations.find(condition="held", limit=MOST)
        else:
            states = [await find_lane(app, operations, key)]
        lanes = [await read_lane(app, operations, state) for state in states]
    if key is not None and lanes[0].state.condition not in ("held", "waiting"):
        raise not_now(lanes[0].state, what)
    return lanes


async def act_on(lanes: Sequence[LaneFacts], act: Callable[[LaneFacts, LaneJob], Awaitable[bool]]) -> list[Moved]:
    """Do it to each, if its first job is still the one that the user saw; tells to which it was done."""
    done = []
    for lane in lanes:
        if lane.job is not None and lane.head is not None and await act(lane, lane.job):
            state, head = lane.state, lane.head
            done.append(Moved(key=state.key, job_id=head.job_id, task=head.task, behind=state.length - 1))
    return done


def not_now(state: LaneState, what: str) -> Failed:
    """Why nothing was done to a lane."""
    from goatherd.model.lane import shown

    why = {
        "ready": "its first job starts as soon as a worker is free",
        "running": f"worker {state.worker} does its first job; `goatherd lanes unblock` takes the lane from it",
    }
    return Failed(f"There is nothing to {what} in lane {shown(state.key)}: {why[state.condition]}.")


def gone_on(state: LaneState, what: str) -> Failed:
    """The same for one that had changed when it was to be done."""
    from goatherd.model.lane import shown

    return Failed(f"There is nothing to {what} in lane {shown(state.key)}: it has gone on meanwhile. Look again.")


def told_of_all(done: Sequence[Moved], chosen: int, what: str) -> str:
    """`Retried 12 lanes.`"""
    missed = f" {counted(chosen - len(done), 'lane')} had gone on by then." if chosen > len(done) else ""
    return f"{what} {counted(len(done), 'held lane')}.{missed}" if chosen else "No lane is held."
