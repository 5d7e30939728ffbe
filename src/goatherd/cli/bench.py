"""`goatherd bench`: how fast jobs go through the broker of an app."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output, without_password
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from rich.table import Table

    from goatherd.cli.bench_run import Figures

#: What each figure means, in the order of the table.
MEANINGS = {
    "send_per_second": ("send", "jobs/s", "one sender that waits for each job to be safe"),
    "send_at_once_per_second": ("64 senders", "jobs/s", "64 of them in one process: they share the waiting"),
    "send_many_per_second": ("send_many", "jobs/s", "all jobs in one call"),
    "drain_per_second": ("drain", "jobs/s", "one worker process empties a full queue; the jobs do nothing"),
    "worker_microseconds_per_job": ("worker CPU", "µs/job", "processor time of that worker: what a job costs at least"),
    "idle_p50_milliseconds": ("idle p50", "ms", "from send to start in another process that has nothing to do"),
    "idle_p99_milliseconds": ("idle p99", "ms", "the same for the slowest of a hundred"),
}


@click.command()
@target_argument
@click.option(
    "--jobs", type=click.IntRange(100, 100_000), default=2000, show_default=True, help="Jobs for each rate of sending."
)
@with_output
def bench(output: Output, target: str, jobs: int) -> None:
    """Measure how fast jobs go through the broker of an app, with its own settings, on this machine.

    The jobs do nothing and go through a scratch queue, APP.bench, in the app's own store; your tasks are not run and
    your queues are not touched. It takes some seconds, in which the store is busy: on a system in use, others wait.
    Afterwards the scratch queue is empty.

    \b
    Examples:
      goatherd bench shop:app
      goatherd bench shop:app --jobs 10000 --json
    """
    app = load_app(target)
    from goatherd.cli.bench_run import measure

    where = without_password(app.settings.broker_url)
    if not output.json:
        output.say(f"Measuring {where} ...")
    figures = asyncio.run(measure(app, jobs))
    if output.json:
        load = {"concurrency": app.settings.concurrency, "prefetch": app.settings.held_by_worker}
        output.write_json({"broker": where, **load, **asdict(figures)})
    else:
        output.console().print(figures_table(figures))


def figures_table(figures: Figures) -> Table:
    """One line for each figure, with what it means."""
    from goatherd.cli.tables import plain_table

    table = plain_table()
    table.add_column("measure", no_wrap=True)
    table.add_column("figure", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("meaning")
    for key, (name, unit, meaning) in MEANINGS.items():
        table.add_row(name, shown(getattr(figures, key)), unit, meaning)
    return table


def shown(figure: float) -> str:
    """Three digits that count."""
    if figure >= 100:
        return f"{figure:,.0f}"
    return f"{figure:.1f}" if figure >= 10 else f"{figure:.2f}"
