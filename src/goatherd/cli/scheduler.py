"""`goatherd scheduler`: do what begins by itself."""

from __future__ import annotations

import click

from goatherd.cli.duties import Duties
from goatherd.cli.health import HealthOptions, health_options
from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output
from goatherd.cli.run import run_here
from goatherd.cli.share import Share
from goatherd.cli.target import target_argument


@click.command()
@target_argument
@health_options
@with_output
def scheduler(*, output: Output, target: str, health: HealthOptions) -> int:
    """Begin what begins by itself, until you press Ctrl-C or the process is told to stop.

    It fires schedules when they are due, makes jobs of the totals of tallies, and takes commands from inboxes. What
    comes of that is done by workers. Run one, or several on several machines: each tick fires once, whoever is there,
    and none of them is in charge. When each schedule is due is on record in the file or the database of records_url.

    With --health-port, /livez says whether the process is alive, /readyz whether it can do its work and if not why, and
    /metrics what it counted.

    \b
    Examples:
      goatherd scheduler shop:app
      goatherd schedules list shop:app
      goatherd run shop:app --roles worker,scheduler
    """
    set_up_logging(as_json=output.json, verbose=output.verbose, show_pid=False)
    duties = Duties(roles=("scheduler",), share=Share(queues=None, concurrency=None), health=health)
    return run_here(target, duties, None, tell_jobs=False)
