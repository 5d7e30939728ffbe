"""Runs of pipelines and ticks of schedules: how far each is, drawn as a graph."""

from typing import Literal
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.desk import runs as desk
from goatherd.desk.run_finding import names_of_pipelines
from goatherd.model.run_record import RunState
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Form, Who
from goatherd.web.dashboard.dag import graph_of
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import done, render
from goatherd.web.dashboard.wording import counted

#: Runs on the page.
MOST = 100

router = APIRouter()
PAGE = Page(title="Runs", path="/runs", key="r", icon="runs", router=router)


@router.get("/runs")
async def runs(request: Request, app: App, pipeline: str = "", state: RunState | Literal[""] = "") -> HTMLResponse:
    """The newest first, or those of one pipeline or state."""
    found = await desk.runs(app, pipeline=pipeline or None, state=state or None, limit=MOST)
    names = names_of_pipelines(app)
    return render(request, "runs.html", runs=found, pipelines=names, pipeline=pipeline, state=state, most=MOST)


@router.get("/runs/{id:path}")
async def run(request: Request, app: App, id: str, step: str = "") -> HTMLResponse:
    """One of them as a graph, and one of its steps beside it."""
    found = await desk.run(app, id)
    steps = {each.name: each for each in found.steps}
    troubled = next((each for each in found.steps if each.trouble is not None), None)
    chosen = steps.get(step) or troubled
    return render(request, "run.html", detail=found, run=found.run, graph=graph_of(found), chosen=chosen, step=step)


@router.post("/runs/{id:path}/cancel")
async def cancel(request: Request, app: App, who: Who, id: str) -> Response:
    """End it."""
    await act(who, app, "run.cancel", id, lambda: desk.cancel(app, id))
    return done(request, "The run is cancelled; what runs of it is stopped.", then=_path(id))


@router.post("/runs/{id:path}/retry")
async def retry(request: Request, app: App, who: Who, form: Form, id: str) -> Response:
    """Try again what failed, in one step or in all."""
    steps = form.every("step")
    many = await act(who, app, "run.retry", id, lambda: desk.retry(app, id, steps), {"steps": steps}, came_to=_counted)
    told = f"{counted(many, 'unit')} of work will be tried again." if many else "The run is taken up again."
    return done(request, told, then=_path(id))


@router.post("/runs/{id:path}/resume")
async def resume(request: Request, app: App, who: Who, form: Form, id: str) -> Response:
    """Do a step and all after it again."""
    step = form.get("step", "")
    again = await act(who, app, "run.resume_from", id, lambda: desk.resume_from(app, id, step), {"step": step})
    return done(request, f"{', '.join(again)}: done again from here.", then=_path(id))


def _path(id: str) -> str:
    return f"/runs/{quote(id, safe='')}"


def _counted(units: int) -> dict[str, int]:
    return {"units": units}
