"""Schedules: when each is due, how it went, and firing, pausing and resuming it."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query

from goatherd.desk import schedules as desk
from goatherd.desk.schedule_facts import FiringFacts, ScheduleFacts, ScheduleHealth
from goatherd.web.api.asking import USUAL, Cursor, Limit, Name, Text
from goatherd.web.api.doing import Done
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who

router = APIRouter()


@router.get("/schedules", summary="All schedules", responses=NAMED)
async def list_schedules(
    app: App, *, text: Text = "", health: ScheduleHealth | None = None, limit: Limit = USUAL, cursor: Cursor = None
) -> Listed[ScheduleFacts]:
    """By name; `text` is a part of it."""
    wanted, offset = text.strip().lower(), offset_in(cursor)
    found = [
        each
        for each in await desk.schedules(app)
        if wanted in each.name.lower() and health in (None, each.health)
    ]  # fmt: skip
    return Listed(**page_of(found, offset, limit))


@router.get("/schedules/{name:path}/history", summary="Firings of a schedule", responses=NAMED)
async def get_schedule_history(
    app: App, name: Name, limit: Limit = USUAL, cursor: Cursor = None
) -> Listed[FiringFacts]:
    """The newest first."""
    offset = offset_in(cursor)
    return Listed(**page_of(await desk.history(app, name, offset + limit + 1), offset, limit))


@router.get("/schedules/{name:path}/coming", summary="When a schedule is due next", responses=NAMED)
async def get_schedule_coming(
    app: App, name: Name, count: Annotated[int, Query(ge=1, le=desk.MOST_COMING, description="How many times.")] = 10
) -> list[datetime]:
    """By its rule, the next first."""
    return await desk.coming(app, name, count)


@router.get("/schedules/{name:path}", summary="One schedule", responses=NAMED)
async def get_schedule(app: App, name: Name) -> ScheduleFacts:
    """As it stands now."""
    return await desk.schedule(app, name)


@router.post("/schedules/{name:path}/trigger", summary="Fire a schedule now", responses=NAMED | ACTING)
async def trigger_schedule(app: App, who: Who, name: Name) -> FiringFacts:
    """Once, paused or not."""
    return await act(
        who, app, "schedule.trigger", name, lambda: desk.trigger(app, name), came_to=lambda fired: {"id": fired.id}
    )


@router.post("/schedules/{name:path}/pause", summary="Pause a schedule", responses=NAMED | ACTING)
async def pause_schedule(app: App, who: Who, name: Name) -> Done:
    """It does not fire until it is resumed."""
    await act(who, app, "schedule.pause", name, lambda: desk.pause(app, name))
    return Done.of("schedule.pause", name)


@router.post("/schedules/{name:path}/resume", summary="Resume a schedule", responses=NAMED | ACTING)
async def resume_schedule(app: App, who: Who, name: Name) -> Done:
    """It fires again from now on."""
    await act(who, app, "schedule.resume", name, lambda: desk.resume(app, name))
    return Done.of("schedule.resume", name)
