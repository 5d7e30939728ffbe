"""`goatherd runs requeue-items`: try again failed items and steps of many runs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed, Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import UnitKey


@click.command("requeue-items")
@target_argument
@click.option("--pipeline", "pipelines", multiple=True, metavar="NAME", help="Only of this one; may be repeated.")
@click.option("--step", metavar="NAME", help="Only of this step.")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, metavar="N", help="At most N.")
@with_output
def requeue(output: Output, target: str, pipelines: tuple[str, ...], step: str | None, limit: int) -> None:
    """Try again what failed for good, or waits to be stood in for, over all runs, those of the oldest runs first.

    Items and whole steps alike, each with all its attempts ahead of it; their runs go on. Runs that were cancelled are
    left alone. It asks nothing, so that it can be run from time to time by a scheduler: what is done meanwhile is
    not done again.

    \b
    Examples:
      goatherd runs requeue-items shop:app --limit 100
      goatherd runs requeue-items shop:app --pipeline dub --step tts
    """
    app = load_app(target)
    chosen = _chosen(app, pipelines, step)
    units = asyncio.run(_requeue(app, chosen, step, limit))
    if output.json:
        output.write_json({"requeued": [{"run": unit.run, "step": unit.step, "item": _item(unit)} for unit in units]})
    else:
        output.say(_told(units, limit))


def _chosen(app: Goatherd, pipelines: Sequence[str], step: str | None) -> list[str]:
    """The pipelines that are meant; raises Failed or NotThere."""
    from goatherd.desk.run_finding import check_pipeline, check_step_of, without_pipelines

    if not app.pipelines:
        raise Failed(without_pipelines(app))
    for pipeline in pipelines:
        check_pipeline(app, pipeline)
    chosen = list(dict.fromkeys(pipelines)) or list(app.pipelines)
    if step is not None:
        check_step_of(app, step, chosen)
    return chosen


async def _requeue(app: Goatherd, pipelines: Sequence[str], step: str | None, limit: int) -> Sequence[UnitKey]:
    async with app:
        return await app.session().runs.requeue(pipelines, step, limit)


def _item(unit: UnitKey) -> int | None:
    from goatherd.model.run_record import WHOLE

    return None if unit.item == WHOLE else unit.item


def _told(units: Sequence[UnitKey], limit: int) -> str:
    """`Trying again 12 of tts and 1 of mux, in 3 runs.`"""
    if not units:
        return "Nothing failed, and nothing waits to be stood in for."
    steps = Counter(unit.step for unit in units)
    told = ", ".join(f"{number:,} of {step}" for step, number in steps.items())
    more = " There may be more: run it again, or --limit." if len(units) == limit else ""
    return f"Trying again {told}, in {counted(len({unit.run for unit in units}), 'run')}.{more}"
