"""Lanes: who has which key and since when, what waits, and how to help one on."""

from collections.abc import Awaitable, Callable
from typing import Literal
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.app import Goatherd
from goatherd.desk import lanes as desk
from goatherd.desk.errors import NotThere
from goatherd.desk.lane_finding import LaneChoice
from goatherd.desk.lane_moves import Moved
from goatherd.model.lane import LaneCondition, shown
from goatherd.web.control.acting import act
from goatherd.web.control.visitor import Visitor
from goatherd.web.dashboard.asking import App, Fields, Form, Who
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.paths import LANE
from goatherd.web.dashboard.rendering import done, part_of, render
from goatherd.web.dashboard.seen import check_seen
from goatherd.web.dashboard.wording import counted

#: Lanes on the page, and jobs of one.
MOST, MOST_JOBS = 200, 100

router = APIRouter()
PAGE = Page(title="Lanes", path="/lanes", key="l", icon="lanes", router=router)


@router.get("/lanes")
async def lanes(
    request: Request, app: App, text: str = "", condition: LaneCondition | Literal[""] = ""
) -> HTMLResponse:
    """Those with jobs in them; held ones first."""
    found = await desk.lanes(app, LaneChoice(text=text.strip(), condition=condition or None, limit=MOST))
    held = await desk.held_count(app)
    return render(
        request,
        "lanes.html",
        lanes=found,
        held=held,
        text=text,
        condition=condition,
        most=MOST,
        has_lanes=desk.has_lanes(app),
    )


@router.get(LANE)
async def lane(request: Request, app: App, key: str) -> HTMLResponse:
    """One of them with its jobs, in their order."""
    try:
        found = await desk.lane(app, key, MOST_JOBS)
    except NotThere:
        if not part_of(request):
            raise
        # It has come to its end while somebody looked.
        return render(request, "lane.html", lane=None, jobs=())
    return render(request, "lane.html", lane=found.lane, jobs=found.jobs)


@router.post("/held-lanes/retry")
async def retry_held(request: Request, app: App, who: Who, form: Form) -> Response:
    """Try the first job of all held lanes again."""
    moved = await _held(app, who, form, "lane.retry", desk.retry_held)
    return done(request, f"{counted(len(moved), 'lane')} will be tried again.", then="/lanes")


@router.post("/held-lanes/skip")
async def skip_held(request: Request, app: App, who: Who, form: Form) -> Response:
    """Let all held lanes go on without their first jobs."""
    moved = await _held(app, who, form, "lane.skip", desk.skip_held)
    return done(request, f"{counted(len(moved), 'job')} went to the dead letters; their lanes go on.", then="/lanes")


@router.post(LANE + "/retry")
async def retry(request: Request, app: App, who: Who, form: Form, key: str) -> Response:
    """Try its first job again, if that is still the one that was seen."""
    head = form.get("head") or None
    await act(who, app, "lane.retry", key, lambda: desk.retry(app, key, head=head), {"head": head})
    return done(request, f"The first job of {shown(key)} is tried again now.", then=_path(key))


@router.post(LANE + "/skip")
async def skip(request: Request, app: App, who: Who, form: Form, key: str) -> Response:
    """Let it go on without its first job, if that is still the one that was seen."""
    head = form.get("head") or None
    moved = await act(who, app, "lane.skip", key, lambda: desk.skip(app, key, head=head), {"head": head})
    left = (
        f"{counted(moved.behind, 'job')} behind it {'goes' if moved.behind == 1 else 'go'} on" if moved.behind else ""
    )
    told = f"The first job of {shown(key)} is a dead letter now" + (f"; {left}." if left else ".")
    # With its last job a lane is gone.
    return done(request, told, then=_path(key) if moved.behind else "/lanes")


@router.post(LANE + "/unblock")
async def unblock(request: Request, app: App, who: Who, form: Form, key: str) -> Response:
    """Take it from its worker, if that is still the one that was seen."""
    worker = form.get("worker") or None
    await act(who, app, "lane.unblock", key, lambda: desk.unblock(app, key, worker=worker), {"worker": worker})
    told = f"{shown(key)} was taken from its worker; what that does of the job counts no more."
    return done(request, told, then=_path(key))


def _path(key: str) -> str:
    return f"/lanes/{quote(key, safe='')}"


async def _held(
    app: Goatherd, who: Visitor, form: Fields, action: str, move: Callable[[Goatherd], Awaitable[list[Moved]]]
) -> list[Moved]:
    """Do it to all held lanes, if they are about as many as were seen."""

    async def doing() -> list[Moved]:
        check_seen(form, await desk.held_count(app), "held lanes")
        return await move(app)

    details = {"seen": form.get("seen", "")}
    return await act(who, app, action, "all held lanes", doing, details, came_to=lambda moved: {"lanes": len(moved)})
