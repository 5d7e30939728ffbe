"""Listeners: which queues workers listen to because data wants it, and why one is not listened to."""

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from goatherd.desk import listeners as desk
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Form, Who
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import done, render
from goatherd.web.dashboard.wording import counted

#: Listeners on the page, the ailing ones first.
MOST = 500

router = APIRouter()
PAGE = Page(title="Listeners", path="/listeners", key="i", icon="listeners", router=router, group="By itself")


@router.get("/listeners")
async def listeners(request: Request, app: App, pattern: str = "", state: str = "") -> HTMLResponse:
    """All of them, or those of one pattern, or the ailing ones."""
    found = await desk.listeners(app, pattern=pattern or None, unhealthy=state == "unhealthy", limit=MOST)
    patterns = desk.patterns(app)
    return render(
        request,
        "listeners.html",
        listeners=found,
        counted=await desk.counts(app),
        patterns=patterns,
        pattern_choices=[("", "Every pattern"), *((each, each) for each in patterns)],
        pattern=pattern,
        state=state,
    )


@router.post("/listeners/restart")
async def restart(request: Request, app: App, who: Who, form: Form) -> Response:
    """Have the listeners of a queue started anew."""
    queue = form.get("queue", "")
    workers = await act(who, app, "listener.restart", queue, lambda: desk.restart(app, queue))
    return done(request, f"{counted(workers, 'listener')} of {queue} will be started anew.", then="/listeners")
