"""`goatherd run`: several roles in one process."""

from __future__ import annotations

import asyncio

import click

from goatherd.cli.duties import Duties, Duty, read_roles
from goatherd.cli.health import HealthOptions, health_options
from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output
from goatherd.cli.share import Share, share_options
from goatherd.cli.target import load_app, target_argument


@click.command()
@target_argument
@click.option(
    "--roles", metavar="A,B", default="worker,scheduler,router", show_default=True, callback=read_roles,
    help="What the process does: worker, scheduler, router, gateway, dashboard.",
)  # fmt: skip
@click.option("--processes", type=click.IntRange(min=1), default=1, show_default=True, help="How many of them.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where gateway and dashboard listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Their port.")
@share_options
@health_options
@click.option("--tell-jobs", is_flag=True, help="Say in the log when each job is done; also with --verbose.")
@click.option("--open-to-all", is_flag=True, hidden=True)
@click.option("--parent", type=int, hidden=True)
@click.option("--show-pid", is_flag=True, hidden=True)
@with_output
def run(  # noqa: PLR0913 - one parameter for each option
    *, output: Output, target: str, roles: tuple[Duty, ...], processes: int, host: str, port: int, share: Share,
    health: HealthOptions, tell_jobs: bool, open_to_all: bool, parent: int | None, show_pid: bool,
) -> int:  # fmt: skip
    """Run several roles of an app in one process, until you press Ctrl-C or the process is told to stop.

    The worker does jobs, the scheduler begins what begins by itself, the router writes the history of tracked jobs, the
    gateway streams their events to browsers, the dashboard shows operators all of it; where both run, they share one
    port. Each is also a command of its own, to run it apart: `goatherd worker`, `goatherd scheduler`,
    `goatherd router`, `goatherd gateway`, `goatherd dashboard`.

    With --health-port, /livez says whether the process is alive, /readyz whether it can do its work and if not why, and
    /metrics what it counted. With --processes that port tells of all, and each process has one of those that follow.

    \b
    Examples:
      goatherd run shop:app
      goatherd run shop:app --roles worker,router,gateway --port 8000
      goatherd run shop:app --roles worker,scheduler,router --processes 4
    """
    for served in ("gateway", "dashboard"):
        if processes > 1 and served in roles:
            raise click.UsageError(
                f"One port serves one {served}: run `goatherd {served}` apart, or leave out --processes."
            )
    tell_jobs |= output.verbose
    set_up_logging(as_json=output.json, verbose=output.verbose, show_pid=show_pid or processes > 1)
    duties = Duties(roles=roles, share=share, host=host, port=port, health=health, open_to_all=open_to_all)
    if processes == 1:
        return run_here(target, duties, parent, tell_jobs=tell_jobs)
    from goatherd.cli.supervisor import Supervisor

    told = {"--show-pid": True, "--json": output.json, "--verbose": output.verbose, "--tell-jobs": tell_jobs}
    flags = [flag for flag, wanted in told.items() if wanted]
    arguments = ["run", target, *duties.as_arguments(), *flags]
    return asyncio.run(Supervisor(arguments, processes, health.family(processes)).run())


def run_here(target: str, duties: Duties, parent: int | None, *, tell_jobs: bool) -> int:
    """Do all of it in this process."""
    line = None
    if parent is not None:
        from goatherd.cli.parent import ParentLine

        line = ParentLine(parent)
        line.keep_ctrl_c_away()
    app = load_app(target, starts=True)
    from goatherd.cli.working import work_until_told

    work_until_told(app, duties, line, tell_jobs=tell_jobs)
    return 0
