"""Runs of pipelines and of schedules: how far each is, as a graph, and what operators may do to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goatherd.desk.errors import NotNow
from goatherd.desk.run_facts import RunDetail, RunFacts, StepEdge, run_facts
from goatherd.desk.run_finding import check_pipeline, check_step, check_step_of, code_of, find_run, names_of_pipelines
from goatherd.desk.run_looks import ranks_of, run_input, steps_of
from goatherd.model.run_record import RunFilter, RunState

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import RunLook, RunSummary
    from goatherd.ports.steps import RunOperations

#: Failed items and steps that are tried again in one go.
MOST_AT_ONCE = 500


async def runs(
    app: Goatherd,
    *,
    pipeline: str | None = None,
    state: RunState | None = None,
    troubled_step: str | None = None,
    limit: int = 50,
) -> list[RunFacts]:
    """The newest first; none of an app without pipelines and schedules. Raises NotThere or Unavailable."""
    if pipeline is not None:
        check_pipeline(app, pipeline)
    if not names_of_pipelines(app):
        return []
    if troubled_step is not None:
        check_step_of(app, troubled_step, [pipeline] if pipeline is not None else names_of_pipelines(app))
    wanted = RunFilter(pipeline=pipeline, state=state, troubled_step=troubled_step)
    return [run_facts(each) for each in await (await _operations(app)).find(wanted, limit)]


async def run(app: Goatherd, run: str) -> RunDetail:
    """One run as a graph, by its id or the end of it; raises NotThere or Unavailable."""
    return detail_of(app, await find_run(app, await _operations(app), run))


async def cancel(app: Goatherd, run: str) -> None:
    """Stop it; raises NotThere, NotNow if it has ended, or Unavailable."""
    summary = (await find_run(app, await _operations(app), run)).summary
    ended = await cancel_run(app, summary)
    if ended is not None:
        raise NotNow(f"There was nothing to cancel: run {summary.id} had ended ({ended}).")


async def cancel_run(app: Goatherd, summary: RunSummary) -> str | None:
    """Stop a run of an open app; tells how it had ended, if it had. Raises Unavailable."""
    known = app.session().runs
    code = code_of(app, summary.pipeline)
    # Where those listen who may have something of it in hand.
    queues = set() if code is None else {task.queue for task in code.tasks}
    if await known.cancel(summary.id, queues):
        return None
    now = await known.knows(summary.id)
    return now.state if now is not None else "forgotten"


async def retry(app: Goatherd, run: str, steps: Sequence[str] = ()) -> int:
    """Try again what failed, or failed in these steps; tells how many units. Raises NotThere, NotNow or Unavailable.

    A run that was cancelled is taken up again where it was, and then it may be none.
    """
    look = await find_run(app, await _operations(app), run)
    for step in steps:
        check_step(step, [one.name for one in look.steps], f"Run {look.summary.id} has")
    count = await app.session().runs.retry(look.summary.id, list(steps) or None)
    if not count and (steps or look.summary.state != "cancelled"):
        raise nothing_failed(look, steps)
    return count


async def resume_from(app: Goatherd, run: str, step: str) -> list[str]:
    """Forget a step and all after it, and do them again; tells which. Raises NotThere, NotNow or Unavailable."""
    look = await find_run(app, await _operations(app), run)
    code = code_of(app, look.summary.pipeline)
    if code is None:
        told = f"The app {app.name!r} has no pipeline {look.summary.pipeline!r}"
        raise NotNow(f"{told}, so it is not known what comes after {step!r}.")
    check_step(step, code.steps, f"Pipeline {code.name!r} has")
    check_step(step, [one.name for one in look.steps], f"Run {look.summary.id} has")
    await app.session().runs.resume_from(code, look.summary.id, step)
    return [each.name for each in code.from_here(step)]


async def requeue(app: Goatherd, pipeline: str | None = None, step: str | None = None) -> int:
    """Try again what failed for good, over all runs, some hundreds at a time; tells how many. Raises the same."""
    chosen = [pipeline] if pipeline is not None else list(app.pipelines)
    for each in chosen:
        check_pipeline(app, each)
    if step is not None:
        check_step_of(app, step, chosen)
    return len(await app.session().runs.requeue(chosen, step, MOST_AT_ONCE)) if chosen else 0


def detail_of(app: Goatherd, look: RunLook) -> RunDetail:
    """A run as a graph."""
    name = look.summary.pipeline
    code = code_of(app, name)
    steps = steps_of(look, code)
    ranks = ranks_of(steps)
    return RunDetail(
        run=run_facts(look.summary),
        input=run_input(app, look),
        in_code=code is not None,
        tick=name in app.ticks,
        steps=tuple(step.facts(ranks[step.name]) for step in steps),
        edges=tuple(StepEdge(source=before, target=step.name) for step in steps for before in step.after),
    )


def nothing_failed(look: RunLook, steps: Sequence[str]) -> NotNow:
    """Why there is nothing to be tried again."""
    run, where = look.summary, f" in {', '.join(steps)}" if steps else ""
    why = {
        "running": "it goes on",
        "done": "it is done",
        "cancelled": "it was cancelled",
        "failed": f"it failed in {', '.join(run.now_at) or 'another step'}",
    }
    more = {
        "done": "; --from STEP does a step and all after it again.",
        "cancelled": "; without --step it is taken up again.",
    }
    told = f"Nothing has failed{where} of run {run.id}: {why[run.state]}."
    return NotNow(told, at_shell=more.get(run.state, ""))


async def _operations(app: Goatherd) -> RunOperations:
    return (await app.session().records()).operations
