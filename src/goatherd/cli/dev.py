"""`goatherd dev`: a worker that reloads."""

from __future__ import annotations

import asyncio

import click

from goatherd.cli.logs import set_up_logging
from goatherd.cli.output import Output, with_output
from goatherd.cli.share import Share, share_options
from goatherd.cli.target import load_app, target_argument


@click.command()
@target_argument
@click.option("--no-reload", is_flag=True, help="Do not watch files.")
@share_options
@with_output
def dev(output: Output, target: str, no_reload: bool, share: Share) -> int:
    """Do the jobs of an app while you write it: each job is told, and the worker starts anew when you save a file.

    All .py files in this folder and below are watched, but for hidden folders and virtual environments. Jobs that
    run when a file changes get 2 s to end and are otherwise handed back, to be done with the new code. If the new
    code cannot be imported, you see why, and the next change is awaited. Ctrl-C ends it.

    \b
    Examples:
      goatherd dev shop:app
      goatherd dev shop:app --no-reload --concurrency 1
    """
    set_up_logging(as_json=output.json, verbose=output.verbose)
    if no_reload:
        app = load_app(target)
        from goatherd.cli.working import work_until_told

        work_until_told(app, share, tell_jobs=True)
        return 0
    return _reloading(output, target, share)


def _reloading(output: Output, target: str, share: Share) -> int:
    from goatherd.cli.reload import Reloader, log
    from goatherd.cli.watching import Watcher, folders_of
    from goatherd.cli.wording import counted

    watcher = Watcher(folders_of(target))
    flags = ["--tell-jobs", *["--json"] * output.json, *["--verbose"] * output.verbose]
    log.info("Watching %s; Ctrl-C ends", counted(watcher.files, "Python file"))
    return asyncio.run(Reloader(["worker", target, *share.as_arguments(), *flags], watcher).run())
