"""Processes: who works, what they do now, and how they are."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from goatherd.desk.errors import NotThere
from goatherd.desk.processes import look_at_processes
from goatherd.desk.processes import process as look_at
from goatherd.web.dashboard.asking import App
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import part_of, render

#: Processes on the page.
MOST = 300

router = APIRouter()
PAGE = Page(title="Workers", path="/workers", key="w", icon="workers", router=router, group="System")


@router.get("/workers")
async def workers(request: Request, app: App, role: str = "") -> HTMLResponse:
    """All that live, or those that have a role."""
    every = await look_at_processes(app)
    counts = {"": len(every)}
    for process in every:
        for each in process.roles:
            counts[each] = counts.get(each, 0) + 1
    found = [process for process in every if not role or role in process.roles]
    more = max(0, len(found) - MOST)
    return render(request, "workers.html", processes=found[:MOST], more=more, counts=counts, role=role)


@router.get("/workers/{id:path}")
async def worker(request: Request, app: App, id: str) -> HTMLResponse:
    """One of them, with all that it does now."""
    try:
        found = await look_at(app, id)
    except NotThere:
        if not part_of(request):
            raise
        # It has ended while somebody looked.
        return render(request, "worker.html", process=None)
    return render(request, "worker.html", process=found)
