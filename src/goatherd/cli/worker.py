"""`goatherd worker`: do the jobs of an app."""

from __future__ import annotations

import asyncio

import click

from goatherd.cli.duties import Duties
from goatherd.cli.health import HealthOptions, health_options
from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output
from goatherd.cli.run import run_here
from goatherd.cli.share import Share, share_options
from goatherd.cli.target import target_argument


@click.command()
@target_argument
@click.option("--processes", type=click.IntRange(min=1), default=1, show_default=True, help="Worker processes.")
@share_options
@health_options
@click.option("--tell-jobs", is_flag=True, help="Say in the log when each job is done; also with --verbose.")
@click.option("--parent", type=int, hidden=True)
@click.option("--show-pid", is_flag=True, hidden=True)
@with_output
def worker(  # noqa: PLR0913 - one parameter for each option
    *, output: Output, target: str, processes: int, share: Share, health: HealthOptions, tell_jobs: bool,
    parent: int | None, show_pid: bool,
) -> int:  # fmt: skip
    """Do the jobs of an app, from all its queues, until you press Ctrl-C or the process is told to stop.

    Then it takes no more jobs, hands back what has not started, and lets running jobs end within the grace period
    (setting grace_period, 20 s). A second Ctrl-C hands those back, too. With --processes, a parent looks after the
    workers and replaces one that dies. The log goes to standard error; with --json as one JSON object a line.

    With --health-port, /livez says whether the process is alive, /readyz whether it can do its work and if not why, and
    /metrics what it counted. With --processes that port tells of all, and each process has one of those that follow.

    \b
    Examples:
      goatherd worker shop:app
      goatherd worker shop:app --processes 4 --concurrency 32 --queues mail,images
    """
    tell_jobs |= output.verbose
    set_up_logging(as_json=output.json, verbose=output.verbose, show_pid=show_pid or processes > 1)
    if processes == 1:
        return run_here(target, Duties(share=share, health=health), parent, tell_jobs=tell_jobs)
    from goatherd.cli.supervisor import Supervisor

    told = {"--show-pid": True, "--json": output.json, "--verbose": output.verbose, "--tell-jobs": tell_jobs}
    flags = [flag for flag, wanted in told.items() if wanted]
    arguments = ["worker", target, *share.as_arguments(), *flags]
    return asyncio.run(Supervisor(arguments, processes, health.family(processes)).run())
