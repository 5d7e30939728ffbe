"""`goatherd runs cancel`: stop runs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed, Output, with_output
from goatherd.cli.run_access import opened_records
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import RunSummary


@click.command()
@target_argument
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@with_output
def cancel(output: Output, target: str, runs: tuple[str, ...]) -> int:
    """Stop runs: nothing more of them is started, and what runs is told to stop.

    What was done stays on record, so that a run can be taken up again with `goatherd runs retry`. One that has ended
    already is left as it is, and named; then the exit code is 1. RUN is a run's id, or the last 6 or more characters.

    \b
    Example:
      goatherd runs cancel shop:app video-7 video-8
    """
    app = load_app(target)
    found = asyncio.run(_find(app, runs))
    ended = asyncio.run(_cancel(app, found))
    done = [run.id for run in found if run.id not in ended]
    if output.json:
        output.write_json({"cancelled": done, "ended_before": [{"run": run, "state": ended[run]} for run in ended]})
        return 1 if ended else 0
    if done:
        which = f"Run {done[0]} is cancelled" if len(done) == 1 else f"{counted(len(done), 'run')} are cancelled"
        again = f"goatherd runs retry {target} {done[0] if len(done) == 1 else 'RUN'}"
        output.say(f"{which}. To take {'it' if len(done) == 1 else 'one'} up again: {again}")
    if ended:
        told = ", ".join(f"{run} ({state})" for run, state in ended.items())
        raise Failed(f"There was nothing to cancel in what had ended: {told}.")
    return 0


async def _find(app: Goatherd, runs: Sequence[str]) -> list[RunSummary]:
    """All of them, before anything is done to one; raises NotThere."""
    from goatherd.desk.run_finding import find_run

    async with opened_records(app) as operations:
        found = [(await find_run(app, operations, run)).summary for run in runs]
    return list({run.id: run for run in found}.values())


async def _cancel(app: Goatherd, runs: Sequence[RunSummary]) -> dict[str, str]:
    """Cancel each; tells which had ended, and how."""
    from goatherd.desk.runs import cancel_run

    async with app:
        ended = {run.id: await cancel_run(app, run) for run in runs}
    return {run: state for run, state in ended.items() if state is not None}
