"""Processes, streams and topology."""

from fastapi import APIRouter

from goatherd.desk import drift as drift_desk
from goatherd.desk import processes as desk
from goatherd.desk import streams as stream_desk
from goatherd.desk.drift import DriftFacts
from goatherd.desk.processes import ProcessFacts
from goatherd.desk.streams import StreamFacts
from goatherd.web.api.asking import USUAL, Cursor, Limit, Name
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import NAMED
from goatherd.web.dashboard.asking import App

router = APIRouter()


@router.get("/processes", summary="Processes that live", responses=NAMED)
async def list_processes(app: App, *, limit: Limit = USUAL, cursor: Cursor = None) -> Listed[ProcessFacts]:
    """Workers, schedulers, routers, gateways and dashboards, with what each does now."""
    return Listed(**page_of(await desk.look_at_processes(app), offset_in(cursor), limit))


@router.get("/processes/{id:path}", summary="One process", responses=NAMED)
async def get_process(app: App, id: Name) -> ProcessFacts:
    """As it last told of itself."""
    return await desk.process(app, id)


@router.get("/streams", summary="Streams to browsers")
async def get_streams(app: App) -> StreamFacts:
    """How many are connected, to which gateways, and how many events they get."""
    return await stream_desk.streams(app)


@router.get("/topology/drift", summary="In what the broker differs from the code")
async def get_drift(app: App, *, anew: bool = False) -> DriftFacts:
    """The last comparison, at most half a minute old; `anew` makes another."""
    return await drift_desk.drift(app, anew=anew)
