"""Listeners: which queues workers listen to because data wants it, and starting them anew."""

from fastapi import APIRouter

from goatherd.desk import listeners as desk
from goatherd.desk.listeners import ListenerCounts, ListenerFacts
from goatherd.web.api.asking import USUAL, Chosen, Cursor, Limit, Name
from goatherd.web.api.doing import Done
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who

router = APIRouter()


@router.get("/listeners", summary="Listeners of all processes", responses=NAMED)
async def list_listeners(
    app: App, *, pattern: Chosen = None, unhealthy: bool = False, limit: Limit = USUAL, cursor: Cursor = None
) -> Listed[ListenerFacts]:
    """The ailing ones first, or nothing but those."""
    offset = offset_in(cursor)
    found = await desk.listeners(app, pattern=pattern, unhealthy=unhealthy, limit=offset + limit + 1)
    return Listed(**page_of(found, offset, limit))


@router.get("/listener-counts", summary="How many listeners there are")
async def count_listeners(app: App) -> ListenerCounts:
    """Over all processes that live."""
    return await desk.counts(app)


@router.post("/listeners/{queue:path}/restart", summary="Start the listeners of a queue anew", responses=NAMED | ACTING)
async def restart_listeners(app: App, who: Who, queue: Name) -> Done:
    """Also one that is in quarantine; tells how many processes have one."""
    count = await act(who, app, "listener.restart", queue, lambda: desk.restart(app, queue))
    return Done.of("listener.restart", queue, count)
