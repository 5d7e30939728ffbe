"""Help lanes on: try their first job again, go on without it, or take them from a worker that hangs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goatherd.desk.errors import NotNow
from goatherd.desk.lane_finding import find_lane
from goatherd.desk.lane_looks import LaneJobFacts, LaneLook, read_lane
from goatherd.engine.lane_retries import tried_anew
from goatherd.model.dead_letter import Burial
from goatherd.model.lane import LaneJob, LaneState, shown

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.lanes import LaneOperations

#: Held lanes that are meant at most by all of them.
MOST = 10_000


@dataclass(frozen=True, kw_only=True)
class Moved:
    """What was done to one lane."""

    key: str
    job_id: str
    task: str | None
    #: Jobs behind it.
    behind: int


async def held_lanes(app: Goatherd, operations: LaneOperations, most: int = MOST) -> list[LaneLook]:
    """All that wait for an operator."""
    states = await operations.find(condition="held", limit=most)
    return [await read_lane(app, operations, state) for state in states]


async def stuck_lane(app: Goatherd, operations: LaneOperations, key: str, what: str) -> LaneLook:
    """The lane that is named; raises NotThere, or NotNow for one that needs no help."""
    lane = await read_lane(app, operations, await find_lane(app, operations, key))
    if lane.state.condition not in ("held", "waiting"):
        raise _nothing_to(lane.state, what)
    return lane


async def retry_lanes(app: Goatherd, operations: LaneOperations, lanes: Sequence[LaneLook]) -> list[Moved]:
    """Let the first job of each be tried again now; tells of those that had not gone on meanwhile."""

    async def let_go(lane: LaneLook, job: LaneJob) -> bool:
        content = tried_anew(job.content, app.format_of, given_up=lane.state.condition == "held")
        return await operations.retry(lane.state.key, content, seq=job.seq)

    return await _each(lanes, let_go)


async def skip_lanes(app: Goatherd, operations: LaneOperations, lanes: Sequence[LaneLook]) -> list[Moved]:
    """Put the first job of each to the dead letters of an open app; tells of those that had not gone on meanwhile."""
    now = app.session().clock.now()

    async def bury(lane: LaneLook, job: LaneJob) -> bool:
        why = lane.state.burial or _why(lane.head, now)
        return await operations.skip(lane.state.key, why, seq=job.seq)

    done = await _each(lanes, bury)
    # So that the letters are at once where all dead letters are; a worker would take them, too.
    await app.session().carry_letters()
    return done


async def held_by_worker(app: Goatherd, operations: LaneOperations, key: str) -> LaneLook:
    """A lane that somebody has; raises NotThere or NotNow."""
    lane = await read_lane(app, operations, await find_lane(app, operations, key))
    if lane.state.condition != "running":
        raise _nobody(lane)
    return lane


async def unblock_lane(operations: LaneOperations, lane: LaneLook) -> None:
    """Take it from the worker that has it; raises NotNow."""
    if not await operations.unblock(lane.state.key):
        raise _nobody(lane)


def gone_on(state: LaneState, what: str) -> NotNow:
    """Why nothing was done to a lane that had changed when it was to be done."""
    return NotNow(f"There is nothing to {what} in lane {shown(state.key)}: it has gone on meanwhile. Look again.")


async def _each(lanes: Sequence[LaneLook], act: Callable[[LaneLook, LaneJob], Awaitable[bool]]) -> list[Moved]:
    """Do it to each, if its first job is still the one that was seen; tells to which it was done."""
    done = []
    for lane in lanes:
        if lane.job is not None and lane.head is not None and await act(lane, lane.job):
            state, head = lane.state, lane.head
            done.append(Moved(key=state.key, job_id=head.job_id, task=head.task, behind=state.length - 1))
    return done


def _nothing_to(state: LaneState, what: str) -> NotNow:
    runs = state.condition == "running"
    why = f"worker {state.worker} does its first job" if runs else "its first job starts as soon as a worker is free"
    more = "; `goatherd lanes unblock` takes the lane from it." if runs else ""
    return NotNow(f"There is nothing to {what} in lane {shown(state.key)}: {why}.", at_shell=more)


def _nobody(lane: LaneLook) -> NotNow:
    more = "; `goatherd lanes retry` or `skip` helps it on." if lane.state.condition in ("held", "waiting") else ""
    was = f" (it is {lane.state.condition})" if lane.state.condition != "running" else " any more"
    told = f"No worker has lane {shown(lane.state.key)}{was}, so there is nobody to take it from."
    return NotNow(told, at_shell=more)


def _why(job: LaneJobFacts | None, now: float) -> Burial:
    """For a job that had not been given up yet."""
    told, attempts = "an operator skipped it while its lane waited for it", 0 if job is None else job.failures
    return Burial(reason="rejected", error_type="SkippedByOperator", message=told, attempts=attempts, failed_at=now)
