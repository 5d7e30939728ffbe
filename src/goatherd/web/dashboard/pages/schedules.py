"""Schedules: when each is due, how it went, and firing one by hand."""

from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.desk import schedules as desk
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import done, part_of, render

#: Schedules on the page: programs may set one for each of their users.
MOST_LISTED = 200
#: Firings of one schedule that are shown, and times to come.
MOST, COMING = 100, 5

router = APIRouter()
PAGE = Page(title="Schedules", path="/schedules", key="s", icon="schedules", router=router, group="By itself")


@router.get("/schedules")
async def schedules(request: Request, app: App, text: str = "", health: str = "") -> HTMLResponse:
    """All of them, or those whose name has a text in it."""
    every = await desk.schedules(app)
    wanted = text.strip().lower()
    counts = {"": len(every)}
    for schedule in every:
        counts[schedule.health] = counts.get(schedule.health, 0) + 1
    found = [each for each in every if (not health or each.health == health) and wanted in each.name.lower()]
    more = max(0, len(found) - MOST_LISTED)
    return render(
        request,
        "schedules.html",
        schedules=found[:MOST_LISTED],
        more=more,
        counts=counts,
        text=text,
        health=health,
    )


@router.get("/schedules/{name:path}")
async def schedule(request: Request, app: App, name: str) -> HTMLResponse:
    """One of them, with its firings."""
    found = await desk.schedule(app, name)
    only_actions = part_of(request) == "actions"
    return render(
        request,
        "schedule.html",
        schedule=found,
        firings=[] if only_actions else await desk.history(app, name, MOST),
        coming=[] if found.paused or only_actions else await desk.coming(app, name, COMING),
    )


@router.post("/schedules/{name:path}/trigger")
async def trigger(request: Request, app: App, who: Who, name: str) -> Response:
    """Fire it now."""
    firing = await act(
        who, app, "schedule.trigger", name, lambda: desk.trigger(app, name), came_to=lambda fired: {"id": fired.id}
    )
    waits = firing.state == "waiting"
    told = f"{name} fires when the run before it has ended." if waits else f"{name} was fired."
    return done(request, told, then=f"/schedules/{quote(name, safe='')}")


@router.post("/schedules/{name:path}/pause")
async def pause(request: Request, app: App, who: Who, name: str) -> Response:
    """Let it fire no more for now."""
    await act(who, app, "schedule.pause", name, lambda: desk.pause(app, name))
    return done(request, f"{name} is paused: it does not fire until it is resumed.", then="/schedules")


@router.post("/schedules/{name:path}/resume")
async def resume(request: Request, app: App, who: Who, name: str) -> Response:
    """Let it fire again."""
    await act(who, app, "schedule.resume", name, lambda: desk.resume(app, name))
    return done(request, f"{name} fires again from now on.", then="/schedules")
