"""Queues: what waits in each, who takes from it, and how fast it moves."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.desk import queues as desk
from goatherd.desk.throughput import rates_by_queue, throughput
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Form, Who
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import done, part_of, render
from goatherd.web.dashboard.seen import check_seen
from goatherd.web.dashboard.throughput_chart import chart_of
from goatherd.web.dashboard.wording import counted, now

#: Queues on the page; listeners may have thousands.
MOST = 500

router = APIRouter()
PAGE = Page(title="Queues", path="/queues", key="q", icon="queues", router=router)


@router.get("/queues")
async def queues(request: Request, app: App, text: str = "", state: str = "") -> HTMLResponse:
    """All of them, or those whose name or task has a text in it."""
    every = await desk.queues(app)
    wanted = text.strip().lower()
    found = [
        queue
        for queue in every
        if (not state or queue.condition == state)
        and (not wanted or any(wanted in name.lower() for name in (queue.name, *queue.tasks)))
    ]
    counts = {"": len(every)}
    for queue in every:
        counts[queue.condition] = counts.get(queue.condition, 0) + 1
    # What the broker counts is better, for it knows of strangers, too; but not every broker counts.
    rates = await rates_by_queue(app) if any(queue.leaving is None for queue in found) else {}
    more = max(0, len(found) - MOST)
    return render(
        request, "queues.html", queues=found[:MOST], rates=rates, more=more, counts=counts, text=text, state=state
    )


@router.get("/queues/{name:path}")
async def queue(request: Request, app: App, name: str) -> HTMLResponse:
    """One of them, with the last hour."""
    found = await desk.queue(app, name)
    together = _pattern_of(app, name)
    points = [] if part_of(request) == "actions" else await throughput(app, queue=together or name)
    return render(request, "queue.html", queue=found, chart=chart_of(points, now()), together=together)


@router.post("/queues/{name:path}/pause")
async def pause(request: Request, app: App, who: Who, name: str) -> Response:
    """Let workers take nothing more from it."""
    await act(who, app, "queue.pause", name, lambda: desk.pause(app, name))
    return done(request, f"{name} is paused: workers finish what they have and take nothing more.", then="/queues")


@router.post("/queues/{name:path}/resume")
async def resume(request: Request, app: App, who: Who, name: str) -> Response:
    """Let workers take from it again."""
    await act(who, app, "queue.resume", name, lambda: desk.resume(app, name))
    return done(request, f"{name} is open again.", then="/queues")


@router.post("/queues/{name:path}/purge")
async def purge(request: Request, app: App, who: Who, form: Form, name: str) -> Response:
    """Delete every job that waits in it."""
    details = {"seen": form.get("seen", "")}

    async def purge() -> int:
        # As it stands, not as it was seen a moment ago.
        [now] = await desk.read_states(app, name)
        check_seen(form, now.ready + (now.delayed or 0), f"waiting jobs in {name}")
        return await desk.purge(app, name)

    dropped = await act(who, app, "queue.purge", name, purge, details, came_to=lambda many: {"deleted": many})
    return done(request, f"Deleted {counted(dropped, 'waiting job')} of {name}.", then="/queues")


def _pattern_of(app: App, name: str) -> str:
    """What the queues of a listener are counted under, all together; empty for other queues."""
    book = app.listener_book
    task = book.queues().task_on(name) if book.find(name) is not None else None
    return next((each.pattern for each in book.listened() if task is not None and each.task.name == task.name), "")
