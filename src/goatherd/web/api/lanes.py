"""Lanes: who has which key, what waits, and helping one on."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from goatherd.desk import lanes as desk
from goatherd.desk.lane_finding import LaneChoice
from goatherd.desk.lane_looks import LaneFacts
from goatherd.desk.lane_moves import Moved
from goatherd.desk.lanes import LaneDetail
from goatherd.model.lane import LaneCondition
from goatherd.web.api.asking import USUAL, Body, Cursor, Limit, Name, Text, Word
from goatherd.web.api.doing import Done
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who
from goatherd.web.dashboard.paths import LANE

router = APIRouter()

#: How far one may go: each lane is looked at.
FARTHEST = 1000
HELD = "all held lanes"


class Head(Body):
    """Which job was seen at the head of the lane."""

    head: Word | None = Field(None, description="Its id: if another is the first by now, nothing is done (409).")


class Holder(Body):
    """Which worker was seen to have the lane."""

    worker: Word | None = Field(None, description="If another has it by now, nothing is done (409).")


@router.get("/lanes", summary="Lanes with jobs in them", responses=NAMED)
async def list_lanes(
    app: App, *, text: Text = "", condition: LaneCondition | None = None, limit: Limit = USUAL, cursor: Cursor = None
) -> Listed[LaneFacts]:
    """Those that are held first; `text` is a part of their keys."""
    offset = offset_in(cursor, FARTHEST)
    found = await desk.lanes(app, LaneChoice(text=text, condition=condition, limit=offset + limit + 1))
    return Listed(**page_of(found, offset, limit, FARTHEST))


@router.get(LANE, summary="One lane and its jobs", responses=NAMED)
async def get_lane(
    app: App, key: Name, limit: Annotated[int, Query(ge=1, le=500, description="Jobs at most.")] = USUAL
) -> LaneDetail:
    """By its key, full as `comments/post_id=7` or as it is shown, `post_id=7`."""
    return await desk.lane(app, key, limit)


@router.post(LANE + "/retry", summary="Try the first job of a lane again", responses=NAMED | ACTING)
async def retry_lane(app: App, who: Who, key: Name, wish: Head | None = None) -> Moved:
    """Now, though its time has not come or it was given up."""
    head = wish.head if wish is not None else None
    return await act(who, app, "lane.retry", key, lambda: desk.retry(app, key, head=head), {"head": head})


@router.post(LANE + "/skip", summary="Go on without the first job of a lane", responses=NAMED | ACTING)
async def skip_lane(app: App, who: Who, key: Name, wish: Head | None = None) -> Moved:
    """The job becomes a dead letter."""
    head = wish.head if wish is not None else None
    return await act(who, app, "lane.skip", key, lambda: desk.skip(app, key, head=head), {"head": head})


@router.post(LANE + "/unblock", summary="Take a lane from its worker", responses=NAMED | ACTING)
async def unblock_lane(app: App, who: Who, key: Name, wish: Holder | None = None) -> LaneFacts:
    """For a worker that hangs; it is told, and the job is done again by another."""
    worker = wish.worker if wish is not None else None
    return await act(who, app, "lane.unblock", key, lambda: desk.unblock(app, key, worker=worker), {"worker": worker})


@router.post("/held-lanes/retry", summary="Try the first jobs of all held lanes again", responses=ACTING)
async def retry_held_lanes(app: App, who: Who) -> Done:
    """Of some hundreds at a time: repeat it until the count is 0."""
    moved = await act(who, app, "lane.retry", HELD, lambda: desk.retry_held(app), came_to=_counted)
    return Done.of("lane.retry", HELD, len(moved))


@router.post("/held-lanes/skip", summary="Go on without the first jobs of all held lanes", responses=ACTING)
async def skip_held_lanes(app: App, who: Who) -> Done:
    """Of some hundreds at a time: repeat it until the count is 0. The jobs become dead letters."""
    moved = await act(who, app, "lane.skip", HELD, lambda: desk.skip_held(app), came_to=_counted)
    return Done.of("lane.skip", HELD, len(moved))


def _counted(moved: list[Moved]) -> dict[str, int]:
    return {"lanes": len(moved)}
