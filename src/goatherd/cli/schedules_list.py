"""`goatherd schedules list`: when each is due, and how it went last."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.schedule_access import read_schedules
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.desk.schedule_looks import ScheduleLook


@click.command("list")
@target_argument
@with_output
def list_schedules(output: Output, target: str) -> None:
    """Show the schedules of an app, by name; when each is due next, in its own time zone.

    \b
    code    the app declares it
    set     app.schedules.set said so, whatever the app declares
    gone    no scheduler that lives has it, so it fires no more

    The last columns tell what became of its newest tick, how long the newest run that ended took, and what is worked
    on now. A tick is missed if nobody was there in time, and skipped if an earlier one was still worked on.

    \b
    Examples:
      goatherd schedules list shop:app
      goatherd schedules list shop:app --json
    """
    app = load_app(target)
    found = asyncio.run(read_schedules(app))
    if output.json:
        now = time.time()
        output.write_json([schedule.as_json(now) for schedule in found])
    elif not found:
        output.say("No schedules: declare one with app.cron(...) or app.every(...).")
    else:
        _print(output, target, found)


def _print(output: Output, target: str, found: Sequence[ScheduleLook]) -> None:
    from goatherd.cli.schedule_tables import schedule_table

    output.console().print(schedule_table(found, time.time()))
    click.echo(f"\n{counted(len(found), 'schedule')}.")
    if all(schedule.state is None for schedule in found):
        click.echo(
            f"No scheduler has run yet, so nothing fires. To start one:\n"
            f"  goatherd run {target} --roles worker,scheduler   (or goatherd dev {target})"
        )
