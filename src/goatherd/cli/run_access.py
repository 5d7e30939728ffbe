"""Open the records of an app's pipelines, and find the run, pipeline or step that is meant."""

from __future__ import annotations

import difflib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.pipeline import PipelineDefinition
    from goatherd.model.run_record import RunLook
    from goatherd.ports.steps import RunOperations

#: Runs that are looked at for one whose id was not given in full, and those that an error names.
MOST_SEEN, MOST_NAMED = 1000, 5
#: Characters of an id's end that are enough to look for it.
FEWEST = 6

run_argument = click.argument("run")


@asynccontextmanager
async def opened_records(app: Goatherd) -> AsyncIterator[RunOperations]:
    """The records of an app's runs, without its broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring import open_steps

    opened = await open_steps(app.settings, SystemClock())
    try:
        yield opened.operations
    finally:
        await opened.steps.close()


async def find_run(app: Goatherd, operations: RunOperations, given: str) -> RunLook:
    """The run with that id, or the one whose id ends so; raises Failed."""
    from goatherd.model.run_record import RunFilter

    exact = await operations.look(given)
    if exact is not None:
        return exact
    newest = await operations.find(RunFilter(), MOST_SEEN)
    found = [run.id for run in newest if run.id.endswith(given)] if len(given) >= FEWEST else []
    if len(found) > 1:
        told = ", ".join(found[:MOST_NAMED])
        raise Failed(f"The ids of {len(found)} runs end with {given!r}: {told}. Give more of the one that you mean.")
    look = await operations.look(found[0]) if found else None
    if look is None:
        near = difflib.get_close_matches(given, [run.id for run in newest], n=1)
        raise Failed(f"There is no run {given!r}{_why_none(app, near, any_run=bool(newest))}")
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
    """Raise Failed, with the nearest name, unless the app has it."""
    known = names_of_pipelines(app)
    if not known:
        raise Failed(without_pipelines(app))
    if pipeline not in known:
        raise Failed(f"The app {app.name!r} has no pipeline {pipeline!r}. {_nearest(pipeline, known)}")


def check_step(step: str, known: Iterable[str], whose: str) -> None:
    """Raise Failed, with the nearest name, unless it is one of those that somebody has: `Pipeline 'dub' has`."""
    names = list(known)
    if step not in names:
        raise Failed(f"{whose} no step {step!r}. {_nearest(step, names)}")


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


def _why_none(app: Goatherd, near: list[str], *, any_run: bool) -> str:
    if near:
        return f". Did you mean {near[0]!r}?"
    if not any_run and not names_of_pipelines(app):
        return f": no runs are on record here. {without_pipelines(app)}"
    forgotten = f"ended runs are forgotten after {app.settings.history_days:g} days"
    return (
        f": it is neither an id nor the last {FEWEST} or more characters of one, or the run's record has expired "
        f"({forgotten}). `goatherd runs list` shows those there are."
    )
