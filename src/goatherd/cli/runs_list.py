"""`goatherd runs list`: how far each run is, where it is now, and why it failed."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.run_access import opened_records
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import RunFilter, RunState, RunSummary

STATES = ("running", "done", "failed", "cancelled")


@click.command("list")
@target_argument
@click.option("--state", type=click.Choice(STATES), help="Only runs in this state.")
@click.option("--pipeline", metavar="NAME", help="Only runs of this pipeline.")
@click.option("--step", metavar="NAME", help="Only runs in which this step failed, or waits to be stood in for.")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, metavar="N", help="At most N.")
@click.option("--watch", is_flag=True, help="Show it anew every second until Ctrl-C.")
@with_output
def list_runs(output: Output, target: str, limit: int, watch: bool, **chosen: Any) -> None:
    """Show runs of pipelines, the newest first.

    \b
    running    it goes on                   failed     goatherd runs retry
    done       its result is there          cancelled  retry takes it up again

    The last column says at which steps a run is, or why it failed.

    \b
    Examples:
      goatherd runs list shop:app --state failed
      goatherd runs list shop:app --pipeline dub --step tts
      goatherd runs list shop:app --watch
    """
    app = load_app(target)
    wanted = _filter(app, **chosen)
    if watch:
        from goatherd.cli.run_tables import watch_runs

        with suppress(KeyboardInterrupt):  # the way to end it
            asyncio.run(watch_runs(app, wanted, limit, output))
        return
    found = asyncio.run(_find(app, wanted, limit))
    if output.json:
        from goatherd.desk.run_facts import run_facts

        output.write_json([run_facts(run) for run in found])
    elif not found:
        output.say(_none(app, narrowed=any(chosen.values())))
    else:
        _print(output, target, limit, found)


def _filter(app: Goatherd, *, state: str | None, pipeline: str | None, step: str | None) -> RunFilter:
    from goatherd.desk.run_finding import check_pipeline, check_step_of, names_of_pipelines
    from goatherd.model.run_record import RunFilter

    if pipeline is not None:
        check_pipeline(app, pipeline)
    if step is not None and names_of_pipelines(app):
        check_step_of(app, step, [pipeline] if pipeline is not None else names_of_pipelines(app))
    return RunFilter(pipeline=pipeline, state=cast("RunState | None", state), troubled_step=step)


async def _find(app: Goatherd, wanted: RunFilter, limit: int) -> Sequence[RunSummary]:
    async with opened_records(app) as operations:
        return await operations.find(wanted, limit)


def _none(app: Goatherd, *, narrowed: bool) -> str:
    from goatherd.desk.run_finding import names_of_pipelines, without_pipelines

    if not names_of_pipelines(app):
        return f"No runs. {without_pipelines(app)}"
    if narrowed:
        return "No run matches."
    if not app.pipelines:
        return f"No runs yet of {', '.join(app.ticks)}: a scheduler begins them, `goatherd scheduler`."
    return f"No runs yet of {', '.join(app.pipelines)}: start one with `await {next(iter(app.pipelines))}.start(...)`."


def _print(output: Output, target: str, limit: int, found: Sequence[RunSummary]) -> None:
    from goatherd.cli.run_tables import run_table
    from goatherd.desk.run_looks import short_run

    output.console().print(run_table(found))
    more = " There may be more: --limit." if len(found) == limit else ""
    click.echo(f"\n{counted(len(found), 'run')}.{more}")
    failed = next((run for run in found if run.state == "failed"), None)
    if failed is not None:
        run = shlex.quote(short_run(failed.id))
        click.echo(
            f"To see where one failed, and to try that again:\n"
            f"  goatherd runs show {target} {run}\n"
            f"  goatherd runs retry {target} {run}"
        )
