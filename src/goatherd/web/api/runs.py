"""Runs of pipelines and of schedules: how far each is, and helping them on."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from goatherd.desk import runs as desk
from goatherd.desk.run_facts import RunDetail, RunFacts
from goatherd.model.run_record import RunState
from goatherd.web.api.asking import USUAL, Body, Chosen, Cursor, Limit, Name, Word
from goatherd.web.api.doing import Done
from goatherd.web.api.listing import Listed, offset_in, page_of
from goatherd.web.api.problems import ACTING, NAMED
from goatherd.web.control.acting import act
from goatherd.web.dashboard.asking import App, Who

router = APIRouter()

#: How far back one may go.
FARTHEST = 5000


class Retry(Body):
    """Which steps to try again."""

    steps: tuple[Word, ...] = Field((), max_length=100, description="All that failed, if it is empty.")


class Resume(Body):
    """From where to do it again."""

    step: Word


class Requeue(Body):
    """What to try again, over all runs; all pipelines and steps, if nothing is said."""

    pipeline: Word | None = None
    step: Word | None = None


class Resumed(BaseModel):
    """What will be done again."""

    run: str
    steps: list[str]


@router.get("/runs", summary="Runs, the newest first", responses=NAMED)
async def list_runs(
    app: App,
    *,
    pipeline: Chosen = None,
    state: RunState | None = None,
    troubled_step: Chosen = None,
    limit: Limit = USUAL,
    cursor: Cursor = None,
) -> Listed[RunFacts]:
    """`troubled_step` finds those in which something of that step failed."""
    offset = offset_in(cursor, FARTHEST)
    most = offset + limit + 1
    found = await desk.runs(app, pipeline=pipeline, state=state, troubled_step=troubled_step, limit=most)
    return Listed(**page_of(found, offset, limit, FARTHEST))


@router.get("/runs/{id:path}", summary="One run as a graph", responses=NAMED)
async def get_run(app: App, id: Name) -> RunDetail:
    """Its steps with their states, and which waits for which; by its id or the end of it."""
    return await desk.run(app, id)


@router.post("/runs/{id:path}/retry", summary="Try again what failed in a run", responses=NAMED | ACTING)
async def retry_run(app: App, who: Who, id: Name, wish: Retry | None = None) -> Done:
    """In all steps, or in those that are named; tells how many units. One that was cancelled is taken up again."""
    steps = wish.steps if wish is not None else ()
    count = await act(who, app, "run.retry", id, lambda: desk.retry(app, id, steps), {"steps": steps}, came_to=_counted)
    return Done.of("run.retry", id, count)


@router.post("/runs/{id:path}/resume", summary="Do a step and all after it again", responses=NAMED | ACTING)
async def resume_run(app: App, who: Who, id: Name, wish: Resume) -> Resumed:
    """Forgets what the step and those after it came to."""
    again = await act(
        who, app, "run.resume_from", id, lambda: desk.resume_from(app, id, wish.step), {"step": wish.step}
    )
    return Resumed(run=id, steps=again)


@router.post("/runs/{id:path}/cancel", summary="Cancel a run", responses=NAMED | ACTING)
async def cancel_run(app: App, who: Who, id: Name) -> Done:
    """What waits of it is not started, what runs is told to stop."""
    await act(who, app, "run.cancel", id, lambda: desk.cancel(app, id))
    return Done.of("run.cancel", id)


@router.post("/pipelines/requeue", summary="Try again what failed, over all runs", responses=NAMED | ACTING)
async def requeue_runs(app: App, who: Who, wish: Requeue | None = None) -> Done:
    """Some hundreds at a time: repeat it until the count is 0."""
    said = wish or Requeue()
    target = said.pipeline or "all pipelines"
    step = {"step": said.step}
    count = await act(
        who, app, "run.requeue", target, lambda: desk.requeue(app, said.pipeline, said.step), step, came_to=_counted
    )
    return Done.of("run.requeue", target, count)


def _counted(units: int) -> dict[str, int]:
    return {"units": units}
