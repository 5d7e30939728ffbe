"""The app at a glance, and who asks."""

from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel

from goatherd.desk.overview import OverviewFacts, overview
from goatherd.desk.throughput import ThroughputPoint, throughput
from goatherd.web.api.asking import Chosen
from goatherd.web.api.listing import Listed
from goatherd.web.dashboard.asking import App, Who

#: Seconds that are on record, and points of one answer.
LONGEST, MOST_POINTS = 86400, 2000

router = APIRouter()


class Caller(BaseModel):
    """Who asks, as the dashboard knows them."""

    name: str
    role: Literal["viewer", "operator"]
    by: Literal["token", "cookie", "proxy", "dev"]
    app: str


@router.get("/overview", summary="The app at a glance")
async def get_overview(app: App) -> OverviewFacts:
    """Rates, what waits, what needs somebody, and how the stores are.

    What cannot be told now is null and among the `troubles`; the rest is told.
    """
    return await overview(app)


@router.get("/throughput", summary="What all processes did, step by step")
async def get_throughput(
    app: App,
    last: Annotated[int, Query(ge=10, le=LONGEST, description="Seconds of the past.")] = 3600,
    step: Annotated[int, Query(ge=10, le=3600, description="Seconds for each point.")] = 30,
    queue: Chosen = None,
) -> Listed[ThroughputPoint]:
    """The oldest first, without gaps; the last point has just begun.

    `queue` is one queue, or the pattern of a task that has many. At most 2,000 points are told at once.
    """
    if last / step > MOST_POINTS:
        raise HTTPException(422, f"These would be more than {MOST_POINTS} points; make `step` longer.")
    return Listed(items=await throughput(app, last=last, step=step, queue=queue))


@router.get("/me", summary="Who asks")
async def get_caller(app: App, who: Who) -> Caller:
    """Which name and role the token, cookie or proxy stands for."""
    return Caller(name=who.name, role=who.role, by=who.by, app=app.name)
