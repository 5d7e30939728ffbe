"""Tasks and pipelines: what can be sent, with a form for each."""

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from goatherd.desk import tasks as desk
from goatherd.desk.tasks import Submission, TaskFacts, Verb
from goatherd.errors import InvalidArguments
from goatherd.web.api.asking import LONGEST_DELAY
from goatherd.web.api.submitting import submit
from goatherd.web.dashboard.asking import App, Form, Who
from goatherd.web.dashboard.page import Page
from goatherd.web.dashboard.rendering import path_of, render
from goatherd.web.dashboard.task_fields import fields_of, read

#: Fields of our own, beside the arguments.
OPTIONS = ("delay", "id")

router = APIRouter()
PAGE = Page(title="Tasks", path="/tasks", key="k", icon="api", router=router)


@router.get("/tasks")
async def tasks(request: Request, app: App, text: str = "") -> HTMLResponse:
    """All of them, or those whose name has a text in it."""
    wanted = text.strip().lower()
    every = desk.tasks(app)
    found = [each for each in every if wanted in each.name.lower()]
    return render(request, "tasks.html", tasks=found, count=len(every), text=text)


@router.get("/tasks/{name:path}")
async def task(request: Request, app: App, name: str, sent: str = "") -> HTMLResponse:
    """One of them, with an empty form; `sent` is the id of what was sent before."""
    return _page(request, desk.task(app, name), {}, {}, sent=sent)


@router.post("/tasks/{name:path}")
async def send(request: Request, app: App, who: Who, form: Form, name: str) -> Response:
    """Send or start what the form says, or tell at each field what is wrong with it."""
    found = desk.task(app, name)
    arguments, problems = read(fields_of(found), form)
    delay = _delay(form.get("delay", ""), problems)
    if problems:
        return _page(request, found, form, problems)
    verb: Verb = "send" if form.get("verb") == "send" and found.kind != "pipeline" else "start"
    id = form.get("id", "").strip() or None
    try:
        sent = await submit(who, app, Submission(task=name, arguments=arguments, verb=verb, delay=delay, id=id))
    except InvalidArguments as error:
        return _page(request, found, form, error.problems)
    # What nobody tracks has no page of its own.
    job, here = (quote(part, safe="") for part in (sent.id, name))
    after = f"/jobs/{job}" if sent.tracked else f"/tasks/{here}?sent={job}"
    return RedirectResponse(path_of(request, after), 303)


def _delay(written: str, problems: dict[str, str]) -> float | None:
    if not written.strip():
        return None
    try:
        delay = float(written)
    except ValueError:
        delay = -1.0
    if 0 <= delay <= LONGEST_DELAY:
        return delay
    problems["delay"] = f"write 0 or more seconds, and not more than {LONGEST_DELAY:.0f}"
    return None


def _page(
    request: Request, found: TaskFacts, form: Mapping[str, str], problems: Mapping[str, str], *, sent: str = ""
) -> HTMLResponse:
    fields = fields_of(found)
    known = {*(field.name for field in fields), *OPTIONS}
    return render(
        request,
        "task.html",
        status=422 if problems else 200,
        task=found,
        fields=fields,
        written=form,
        problems=problems,
        others=[f"{each}: {told}" for each, told in problems.items() if each not in known],
        sent=sent,
    )
