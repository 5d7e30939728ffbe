"""Find the run, pipeline or step that is meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from goatherd.desk.errors import Ambiguous, NotThere
from goatherd.model.run_record import RunFilter

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.pipeline import PipelineDefinition
    from goatherd.model.run_record import RunLook
    from goatherd.ports.steps import RunOperations

#: Runs that are looked at for one whose id was not given in full, and those that an error names.
MOST_SEEN, MOST_NAMED = 1000, 5
#: Characters of an id's end that are enough to look for it.
FEWEST = 6


async def find_run(app: Goatherd, operations: RunOperations, given: str) -> RunLook:
    """The run with that id, or the one whose id ends so; raises NotThere."""
    exact = await operations.look(given)
    if exact is not None:
        return exact
    newest = await operations.find(RunFilter(), MOST_SEEN)
    found = [run.id for run in newest if run.id.endswith(given)] if len(given) >= FEWEST else []
    if len(found) > 1:
        told = ", ".join(found[:MOST_NAMED])
        many = f"The ids of {len(found)} runs end with {given!r}: {told}. Give more of the one that you mean."
        raise Ambiguous("run", given, told=many)
    look = await operations.look(found[0]) if found else None
    if look is None:
        near = difflib.get_close_matches(given, [run.id for run in newest], n=1)
        raise _no_run(app, given, near, any_run=bool(newest))
    return look


def code_of(app: Goatherd, pipeline: str) -> PipelineDefinition | None:
    """What the app's code says about a pipeline; None if it has none of that name. Raises DefinitionError."""
    declared, tick = app.pipelines.get(pipeline), app.ticks.get(pipeline)
    if declared is not None:
        return declared.definition
    return None if tick is None else tick.pipeline


def names_of_pipelines(app: Goatherd) -> list[str]:
    """All that may have runs: pipelines, and scheduled tasks, whose ticks are runs."""
    return [*app.pipelines, *app.ticks]


def check_pipeline(app: Goatherd, pipeline: str) -> None:
    """Raise NotThere, with the nearest name, unless the app has it."""
    known = names_of_pipelines(app)
    if not known:
        raise NotThere("pipeline", pipeline, told=without_pipelines(app))
    if pipeline not in known:
        told = f"The app {app.name!r} has no pipeline {pipeline!r}."
        raise NotThere("pipeline", pipeline, _nearest(pipeline, known), told=told)


def check_step(step: str, known: Iterable[str], whose: str) -> None:
    """Raise NotThere, with the nearest name, unless it is one of those that somebody has: `Pipeline 'dub' has`."""
    names = list(known)
    if step not in names:
        raise NotThere("step", step, _nearest(step, names), told=f"{whose} no step {step!r}.")


def check_step_of(app: Goatherd, step: str, pipelines: Sequence[str]) -> None:
    """The same, unless one of these pipelines has it."""
    codes = [code for pipeline in pipelines if (code := code_of(app, pipeline)) is not None]
    known = {name: None for code in codes for name in code.steps}
    whose = f"Pipeline {pipelines[0]!r} has" if len(pipelines) == 1 else f"The pipelines {', '.join(pipelines)} have"
    check_step(step, known, whose)


def without_pipelines(app: Goatherd) -> str:
    """What to say of an app that declares none."""
    return f"The app {app.name!r} has no pipelines. Declare one with app.pipeline(...), or name another MODULE:APP."


def _nearest(name: str, known: Iterable[str]) -> str:
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    return f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(names)}."


def _no_run(app: Goatherd, given: str, near: Sequence[str], *, any_run: bool) -> NotThere:
    if near:
        return NotThere("run", given, f"Did you mean {near[0]!r}?")
    if not any_run and not names_of_pipelines(app):
        told = f"There is no run {given!r}: no runs are on record here."
        return NotThere("run", given, without_pipelines(app), told=told)
    forgotten = f"ended runs are forgotten after {app.settings.history_days:g} days"
    told = (
        f"There is no run {given!r}: it is neither an id nor the last {FEWEST} or more characters of one, or the run's "
        f"record has expired ({forgotten})."
    )
    return NotThere("run", given, told=told, at_shell="`goatherd runs list` shows those there are.")
