"""`goatherd schedules next`: when one schedule, or each of them, is due."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.schedule_access import read_schedules
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.desk.schedule_looks import Coming, ScheduleLook


@click.command("next")
@target_argument
@click.argument("name", required=False)
@click.option(
    "--count", type=click.IntRange(1, 10_000), default=5, show_default=True, metavar="N", help="So many of each."
)
@with_output
def next_ticks(output: Output, target: str, name: str | None, count: int) -> None:
    """Print the next times of a schedule, or of all, in UTC and in the schedule's own zone.

    They are worked out from the rule in force, whether the schedule is paused or not; the last column counts the jitter
    in. A schedule that is due after the end of its last run has no times of its own.

    \b
    Examples:
      goatherd schedules next shop:app
      goatherd schedules next shop:app archive --count 10 --json
    """
    app = load_app(target)
    known = asyncio.run(read_schedules(app))
    chosen = [schedule for schedule in known if name is None or schedule.name == name]
    if name is not None and not chosen:
        from goatherd.desk.schedules import unknown_schedule

        raise unknown_schedule(name, (schedule.name for schedule in known))
    now = time.time()
    found = [(schedule, coming) for schedule in chosen for coming in schedule.coming(now, count)]
    found.sort(key=lambda pair: (pair[1].tick, pair[0].name))
    if output.json:
        output.write_json([_as_json(schedule, coming) for schedule, coming in found])
        return
    if found:
        from goatherd.cli.schedule_tables import coming_table

        output.console().print(coming_table(found, now))
    _tell_of_others(output, chosen, {schedule.name for schedule, _ in found})


def _as_json(schedule: ScheduleLook, coming: Coming) -> dict[str, Any]:
    from datetime import datetime

    from goatherd.cli.schedule_tables import zone_info
    from goatherd.model.envelope import moment

    there = datetime.fromtimestamp(coming.tick, zone_info(schedule.zone)).isoformat()
    return {
        "name": schedule.name,
        "tick": moment(coming.tick),
        "local": there,
        "tz": schedule.zone,
        "due_at": moment(coming.due),
        "paused": schedule.paused,
    }


def _tell_of_others(output: Output, chosen: Sequence[ScheduleLook], told: set[str]) -> None:
    for schedule in chosen:
        if schedule.name not in told:
            output.say(f"{schedule.name}: {schedule.when}.")
        elif schedule.paused:
            output.say(f"{schedule.name} is paused, so it does not fire; goatherd schedules resume lets it.")
    if not chosen:
        output.say("No schedules: declare one with app.cron(...) or app.every(...).")
