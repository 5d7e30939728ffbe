"""`goatherd dev`: all roles in one process that reloads."""

from __future__ import annotations

import asyncio

import click

from goatherd.cli.duties import Duties, Duty
from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output
from goatherd.cli.run import run_here
from goatherd.cli.share import Share, share_options
from goatherd.cli.target import target_argument


@click.command()
@target_argument
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Of dashboard and gateway."
)
@click.option("--no-reload", is_flag=True, help="Do not watch files.")
@share_options
@with_output
def dev(*, output: Output, target: str, port: int, no_reload: bool, share: Share) -> int:
    """Run an app while you write it: each job is told, and all starts anew when you save a file.

    A worker, a scheduler, a router, a gateway and the dashboard run in one process. The dashboard is at
    http://127.0.0.1:8000/, the events of tracked jobs at http://127.0.0.1:8000/api/v1/APP/JOB/events, both for this
    machine only, without asking for a token; they are left out where the extra `web` is not installed.

    All .py files in this folder and below are watched, but for hidden folders and virtual environments. Jobs that
    run when a file changes get 2 s to end and are otherwise handed back, to be done with the new code. If the new
    code cannot be imported, you see why, and the next change is awaited. Ctrl-C ends it.

    \b
    Examples:
      goatherd dev shop:app
      goatherd dev shop:app --no-reload --concurrency 1
    """
    set_up_logging(as_json=output.json, verbose=output.verbose)
    duties = Duties(roles=_roles(), share=share, port=port, open_to_all=True)
    if no_reload:
        return run_here(target, duties, None, tell_jobs=True)
    return _reloading(output, target, duties)


def _roles() -> tuple[Duty, ...]:
    from importlib.util import find_spec

    everywhere: tuple[Duty, ...] = ("worker", "scheduler", "router")
    if any(find_spec(name) is None for name in ("uvicorn", "fastapi", "jinja2")):
        return everywhere
    return (*everywhere, "gateway", "dashboard")


def _reloading(output: Output, target: str, duties: Duties) -> int:
    from goatherd.cli.reload import Reloader, log
    from goatherd.cli.watching import Watcher, folders_of
    from goatherd.cli.wording import counted

    watcher = Watcher(folders_of(target))
    flags = ["--tell-jobs", "--open-to-all", *["--json"] * output.json, *["--verbose"] * output.verbose]
    log.info("Watching %s; Ctrl-C ends", counted(watcher.files, "Python file"))
    return asyncio.run(Reloader(["run", target, *duties.as_arguments(), *flags], watcher).run())
