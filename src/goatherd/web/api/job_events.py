"""The events of a job as they happen, for programs."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Query, Request
from fastapi.responses import Response

from goatherd.desk.errors import NotThere
from goatherd.web.api.asking import LONGEST, Name
from goatherd.web.api.problems import BAD_CURSOR, CROWDED, NAMED
from goatherd.web.dashboard.asking import App, dashboard_of
from goatherd.web.responses import Refusal

router = APIRouter()

STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events as they happen, until the job has ended; come back with the last `id` after a cut.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    },
    204: {"description": "The job has ended, and the cursor is its last event."},
}


@router.get(
    "/jobs/{id:path}/events",
    summary="Watch a job",
    responses=NAMED | CROWDED | BAD_CURSOR | STREAMED,
    response_class=Response,
)
async def watch_job(
    request: Request,
    app: App,
    id: Name,
    after: Annotated[
        str | None, Query(max_length=LONGEST, description="The `id` of the last event seen; also `earliest` and `now`.")
    ] = None,
    last_event_id: Annotated[str | None, Header(description="The same, as browsers send it.")] = None,
) -> Response:
    """Server-sent events, in the words of the gateway; results and the fields of progress are left out."""
    try:
        return await dashboard_of(request).streams.watch(request, app, id)
    except Refusal as refusal:
        raise _failure(id, refusal) from refusal


def _failure(id: str, refusal: Refusal) -> Exception:
    answer = refusal.response
    if answer.status == 404:
        return NotThere("job", id, told=str(refusal))
    headers = {name.decode(): value.decode() for name, value in answer.headers if name == b"retry-after"}
    return HTTPException(answer.status, str(refusal), headers)
