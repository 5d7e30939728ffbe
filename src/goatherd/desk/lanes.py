"""Lanes: who has which key, what waits, and how to help one on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from goatherd.desk.errors import NotNow
from goatherd.desk.lane_finding import LaneChoice, find_lane, read_lanes
from goatherd.desk.lane_looks import LaneFacts, LaneJobFacts, LaneLook, job_facts
from goatherd.desk.lane_moves import (
    Moved,
    gone_on,
    held_by_worker,
    held_lanes,
    retry_lanes,
    skip_lanes,
    stuck_lane,
    unblock_lane,
)
from goatherd.desk.letter_digest import digest_of
from goatherd.model.lane import shown

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.lanes import LaneOperations

#: Held lanes that are helped on in one go: more would take longer than a page waits.
MOST_AT_ONCE = 500

_Act: TypeAlias = "Callable[[Goatherd, LaneOperations, Sequence[LaneLook]], Awaitable[list[Moved]]]"


@dataclass(frozen=True, kw_only=True)
class LaneDetail:
    """A lane and the jobs in it, in their order."""

    lane: LaneFacts
    #: At most as many as were asked for.
    jobs: tuple[LaneJobFacts, ...]


async def lanes(app: Goatherd, choice: LaneChoice | None = None) -> list[LaneFacts]:
    """Lanes with jobs in them, those that are held first; none of an app without keys. Raises Unavailable."""
    if not has_lanes(app):
        return []
    found = await read_lanes(app, await _operations(app), choice or LaneChoice())
    return [lane.facts() for lane in found]


async def lane(app: Goatherd, key: str, limit: int = 50) -> LaneDetail:
    """One lane by its key, in full or as it is shown; raises NotThere or Unavailable."""
    operations = await _operations(app)
    state = await find_lane(app, operations, key)
    jobs = [job_facts(app, job) for job in await operations.jobs(state.key, limit)]
    look = LaneLook(state=state, head=jobs[0] if jobs else None, job=None)
    return LaneDetail(lane=look.facts(), jobs=tuple(jobs))


async def held_count(app: Goatherd, most: int = 1000) -> int:
    """How many lanes wait for an operator, counted up to so many; raises Unavailable."""
    return len(await (await _operations(app)).find(condition="held", limit=most)) if has_lanes(app) else 0


async def retry(app: Goatherd, key: str, *, head: str | None = None) -> Moved:
    """Try the first job of a lane again, now; raises NotThere, NotNow or Unavailable.

    `head` is the id of the job that the operator saw: if another is the first by now, nothing is done.
    """
    return await _one(app, key, "retry", head, retry_lanes)


async def skip(app: Goatherd, key: str, *, head: str | None = None) -> Moved:
    """Put the first job of a lane to the dead letters and go on; raises the same."""
    moved = await _one(app, key, "skip", head, skip_lanes)
    digest_of(app).changed()
    return moved


async def retry_held(app: Goatherd) -> list[Moved]:
    """Try the first job of every held lane again, of some hundreds at a time; raises Unavailable."""
    operations = await _operations(app)
    return await retry_lanes(app, operations, await held_lanes(app, operations, MOST_AT_ONCE))


async def skip_held(app: Goatherd) -> list[Moved]:
    """Put the first job of every held lane to the dead letters, of some hundreds at a time; raises Unavailable."""
    operations = await _operations(app)
    moved = await skip_lanes(app, operations, await held_lanes(app, operations, MOST_AT_ONCE))
    digest_of(app).changed()
    return moved


async def unblock(app: Goatherd, key: str, *, worker: str | None = None) -> LaneFacts:
    """Take a lane from the worker that has it, which is told; raises NotThere, NotNow or Unavailable.

    `worker` is who the operator saw to have it: if another has it by now, nothing is done.
    """
    operations = await _operations(app)
    look = await held_by_worker(app, operations, key)
    if worker is not None and look.state.worker != worker:
        told = f"Lane {shown(look.state.key)} has gone on: worker {look.state.worker} has it now. Look again."
        raise NotNow(told)
    await unblock_lane(operations, look)
    return look.facts()


def has_lanes(app: Goatherd) -> bool:
    """Whether the app has tasks with a key."""
    return any(task.lane is not None for task in app.definitions())


async def _one(app: Goatherd, key: str, what: str, head: str | None, act: _Act) -> Moved:
    operations = await _operations(app)
    look = await stuck_lane(app, operations, key, what)
    if head is not None and (look.head is None or look.head.job_id != head):
        raise gone_on(look.state, what)
    done = await act(app, operations, [look])
    if not done:
        raise gone_on(look.state, what)
    return done[0]


async def _operations(app: Goatherd) -> LaneOperations:
    return (await app.session().lanes()).operations
