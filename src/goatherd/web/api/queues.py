"""Queues: how they stand, and pausing, resuming and emptying them."""

from fastapi import APIRouter
from pydantic import BaseModel

from goatherd.desk import queues as desk
from goatherd.desk.queues import QueueCondition, QueueFacts
from goatherd.web.api.asking import USUAL, Cursor, Limit, Name, Text
from goatherd.web.api.doing import Done
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who

router = APIRouter()


class Purged(BaseModel):
    """What was deleted."""

    queue: str
    dropped: int


@router.get("/queues", summary="All queues", responses=NAMED)
async def list_queues(
    app: App, *, text: Text = "", condition: QueueCondition | None = None, limit: Limit = USUAL, cursor: Cursor = None
) -> Listed[QueueFacts]:
    """By name; `text` is a part of a name, or of one of its tasks' names."""
    wanted, offset = text.strip().lower(), offset_in(cursor)
    found = [
        each
        for each in await desk.queues(app)
        if condition in (None, each.condition) and any(wanted in name.lower() for name in (each.name, *each.tasks))
    ]
    return Listed(**page_of(found, offset, limit))


@router.get("/queues/{name:path}", summary="One queue", responses=NAMED)
async def get_queue(app: App, name: Name) -> QueueFacts:
    """As it stands now."""
    return await desk.queue(app, name)


@router.post("/queues/{name:path}/pause", summary="Pause a queue", responses=NAMED | ACTING)
async def pause_queue(app: App, who: Who, name: Name) -> Done:
    """Workers finish what they have and take nothing more from it."""
    await act(who, app, "queue.pause", name, lambda: desk.pause(app, name))
    return Done.of("queue.pause", name)


@router.post("/queues/{name:path}/resume", summary="Resume a queue", responses=NAMED | ACTING)
async def resume_queue(app: App, who: Who, name: Name) -> Done:
    """Workers take from it again."""
    await act(who, app, "queue.resume", name, lambda: desk.resume(app, name))
    return Done.of("queue.resume", name)


@router.post("/queues/{name:path}/purge", summary="Delete all that waits in a queue", responses=NAMED | ACTING)
async def purge_queue(app: App, who: Who, name: Name) -> Purged:
    """Deletes every job that waits there, for good, and tells how many there were; running ones and letters stay."""
    dropped = await act(
        who, app, "queue.purge", name, lambda: desk.purge(app, name), came_to=lambda many: {"deleted": many}
    )
    return Purged(queue=name, dropped=dropped)
