"""Jobs: found in the history, all about one, its timeline, and stopping it."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from goatherd.desk import jobs as desk
from goatherd.desk.job_facts import JobLine, Timeline
from goatherd.desk.letter_facts import LetterLine
from goatherd.model.job_state import Status
from goatherd.web.api.asking import LONGEST, USUAL, Chosen, Cursor, Limit, Moment, Name
from goatherd.web.api.doing import Done
from goatherd.web.api.listing import Listed
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who

router = APIRouter()

Words = Annotated[
    str,
    Query(
        max_length=LONGEST,
        description="Words, all of which must be there: in the task, key, arguments, error or message. One of three or "
        "more characters may be the beginning of a longer one. Without spaces, also an id or a part of one.",
    ),
]


class JobList(Listed[JobLine]):
    """A page of jobs, the newest first."""

    letters: tuple[LetterLine, ...] = Field(
        (), description="On the first page: dead letters that fit, of jobs that nobody tracked."
    )


@router.get("/jobs", summary="Search the history of jobs", responses=NAMED)
async def list_jobs(  # noqa: PLR0913 - one parameter for each name of the query
    app: App,
    *,
    text: Words = "",
    task: Chosen = None,
    queue: Chosen = None,
    status: Status | None = None,
    key: Annotated[str | None, Query(max_length=LONGEST, description="The full key of a lane.")] = None,
    kind: Literal["job", "run", "tick", "letter"] | None = None,
    since: Moment = None,
    until: Moment = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> JobList:
    """The newest first: jobs that are tracked, runs and ticks, and dead letters that fit."""
    choice = desk.JobChoice(
        text=text, task=task, queue=queue, status=status, key=key, kind=kind, since=since, until=until
    )
    page = await desk.search(app, choice, limit, cursor or None)
    return JobList(items=page.jobs, next=page.next, letters=page.letters)


@router.get("/job-counts", summary="How many jobs the history has")
async def count_jobs(app: App) -> dict[Status, int]:
    """Of each status."""
    return dict(await desk.counts(app))


@router.get("/job-tasks", summary="Names that jobs can be looked for by")
async def list_job_tasks(app: App) -> list[str]:
    """Tasks and pipelines of the app and of the history."""
    return await desk.task_names(app)


@router.get("/jobs/{id:path}/timeline", summary="What happened to a job", responses=NAMED)
async def get_job_timeline(app: App, id: Name) -> Timeline:
    """Its events in order as long as they are kept; else what the record tells."""
    return await desk.timeline(app, id)


@router.post("/jobs/{id:path}/cancel", summary="Cancel a job", responses=NAMED | ACTING)
async def cancel_job(app: App, who: Who, id: Name) -> Done:
    """What waits is not started, what runs is told to stop."""
    await act(who, app, "job.cancel", id, lambda: desk.cancel(app, id))
    return Done.of("job.cancel", id)
