"""Jobs: found by what is known of them, and one of them as it goes on."""

from datetime import timedelta
from typing import Literal
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.desk import jobs as desk
from goatherd.desk.job_facts import JobKind
from goatherd.desk.jobs import JobChoice
from goatherd.model.job_state import Status
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who, dashboard_of
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import done, part_of, render
from goatherd.web.dashboard.wording import now

#: Jobs on a page.
MOST = 50

#: Spans of time to choose from, in hours.
SPANS = {"1": "Last hour", "24": "Last day", "168": "Last week"}
KINDS = {
    "job": "Jobs of tasks",
    "run": "Runs of pipelines",
    "tick": "Fired by schedules",
    "letter": "Dead letters only",
}

router = APIRouter()
PAGE = Page(title="Jobs", path="/jobs", key="j", icon="jobs", router=router)


@router.get("/jobs")
async def jobs(  # noqa: PLR0913, PLR0917 - so many things a job may be looked for by
    request: Request,
    app: App,
    text: str = "",
    task: str = "",
    state: Status | Literal[""] = "",
    queue: str = "",
    kind: JobKind | Literal[""] = "",
    key: str = "",
    hours: Literal["", "1", "24", "168"] = "",
    before: str = "",
) -> HTMLResponse:
    """A page of them, the newest first."""
    choice = JobChoice(
        text=text.strip(),
        task=task or None,
        queue=queue or None,
        status=state or None,
        key=key or None,
        kind=kind or None,
        since=now() - timedelta(hours=int(hours)) if hours else None,
    )
    page = await desk.search(app, choice, MOST, before or None)
    counts = await desk.counts(app)
    tasks = [] if part_of(request) else await desk.task_names(app)
    queues = sorted({each.queue for each in app.definitions()})
    return render(
        request,
        "jobs.html",
        page=page,
        choice=choice,
        counts={**counts, "": sum(counts.values())},
        tasks=tasks,
        queues=queues,
        hours=hours,
        spans=SPANS,
        kinds=KINDS,
        # By more than the state, of which alone it is counted how many there are.
        narrowed=any((choice.text, task, queue, kind, key, hours)),
    )


@router.get("/jobs/{id:path}/events")
async def events(request: Request, app: App, id: str) -> Response:
    """What happens to it from now on, or from where the browser has come to, as a stream."""
    return await dashboard_of(request).streams.answer(request, app, id)


@router.get("/jobs/{id:path}")
async def job(request: Request, app: App, id: str) -> HTMLResponse:
    """All about one of them."""
    found = await desk.job(app, id)
    timeline = None if part_of(request) in ("glance", "about") else await desk.timeline(app, id)
    keepalive = app.settings.gateway_keepalive
    return render(request, "job.html", job=found, timeline=timeline, keepalive=keepalive)


@router.post("/jobs/{id:path}/cancel")
async def cancel(request: Request, app: App, who: Who, id: str) -> Response:
    """Stop it."""
    await act(who, app, "job.cancel", id, lambda: desk.cancel(app, id))
    told = "It is cancelled: what waits is not begun, what runs is told to stop."
    return done(request, told, then=f"/jobs/{quote(id, safe='')}")
