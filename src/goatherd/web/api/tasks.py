"""Tasks and pipelines: what can be sent with which arguments, and sending it."""

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from pydantic import Field

from goatherd.desk import tasks as desk
from goatherd.desk.tasks import Submission, Submitted, TaskFacts, Verb
from goatherd.web.api.asking import LONGEST_DELAY, USUAL, Body, Cursor, Limit, Name, Text, check_arguments
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.api.submitting import submit
from goatherd.web.dashboard.asking import App, Who
from goatherd.web.dashboard.rendering import path_of

router = APIRouter()

ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {
        "description": "Accepted, and durable.",
        "headers": {
            "Location": {
                "description": "Where the job is, if it is tracked.",
                "schema": {"type": "string"},
                "required": False,
            }
        },
    }
}


class Wish(Body):
    """What is to be sent, and how."""

    arguments: dict[str, Any] = Field({}, description="By name, as the task's schema has them.")
    delay: Annotated[float, Field(ge=0, le=LONGEST_DELAY, allow_inf_nan=False)] | None = Field(
        None, description="Seconds from now before which it does not start."
    )
    id: Annotated[str, Field(min_length=1, max_length=255)] | None = Field(
        None, description="Its id, of up to 255 bytes of printable text; a new one if it is not given."
    )
    priority: int | None = Field(None, description="Of 0 to 9; what is more urgent has the higher number.")


@router.get("/tasks", summary="Tasks and pipelines of the app", responses=NAMED)
async def list_tasks(
    app: App, *, text: Text = "", limit: Limit = USUAL, cursor: Cursor = None
) -> Listed[TaskFacts]:  # fmt: skip
    """In the order of its code, with their arguments as JSON Schema; `text` is a part of their names."""
    wanted = text.strip().lower()
    found = [each for each in desk.tasks(app) if wanted in each.name.lower()]
    return Listed(**page_of(found, offset_in(cursor), limit))


@router.get("/tasks/{task:path}", summary="One task", responses=NAMED)
async def get_task(app: App, task: Name) -> TaskFacts:
    """With its arguments as JSON Schema."""
    return desk.task(app, task)


@router.post("/tasks/{task:path}/send", summary="Send a job", status_code=202, responses=NAMED | ACTING | ACCEPTED)
async def send_task(request: Request, response: Response, app: App, who: Who, task: Name, wish: Wish) -> Submitted:
    """Fire and forget: durable when it is answered. The lane of a task with a key comes from the arguments."""
    return await _submit(request, response, app, who, _submission(task, wish, "send"))


@router.post("/tasks/{task:path}/start", summary="Start a job", status_code=202, responses=NAMED | ACTING | ACCEPTED)
async def start_task(request: Request, response: Response, app: App, who: Who, task: Name, wish: Wish) -> Submitted:
    """The same, tracked: whoever knows its id can watch it, see its result, or cancel it."""
    return await _submit(request, response, app, who, _submission(task, wish, "start"))


def _submission(task: str, wish: Wish, verb: Verb) -> Submission:
    check_arguments(task, wish.arguments)
    return Submission(
        task=task, arguments=wish.arguments, verb=verb, delay=wish.delay, id=wish.id, priority=wish.priority
    )


async def _submit(request: Request, response: Response, app: App, who: Who, what: Submission) -> Submitted:
    sent = await submit(who, app, what)
    if sent.tracked:
        response.headers["location"] = path_of(request, f"/api/jobs/{quote(sent.id, safe='')}")
    return sent
