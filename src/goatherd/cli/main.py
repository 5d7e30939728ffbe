"""The command `goatherd`: which commands there are, and how it ends."""

from __future__ import annotations

import os
import signal
import sys

import click

from goatherd.cli.lazy import Entry, LazyGroup

COMMANDS = {
    "dev": Entry("goatherd.cli.dev:dev", "Work while you write: a worker that reloads when a file changes."),
    "worker": Entry("goatherd.cli.worker:worker", "Do the jobs of an app."),
    "run": Entry("goatherd.cli.run:run", "Run several roles of an app in one process."),
    "scheduler": Entry("goatherd.cli.scheduler:scheduler", "Fire schedules, flush tallies, take commands in."),
    "router": Entry("goatherd.cli.router:router", "Write the history of tracked jobs."),
    "gateway": Entry("goatherd.cli.gateway:gateway", "Serve the events of tracked jobs to browsers."),
    "dashboard": Entry("goatherd.cli.dashboard:dashboard", "See how an app does, and act, in a browser."),
    "send": Entry("goatherd.cli.send:send", "Send a job from the shell."),
    "queues": Entry("goatherd.cli.queues:queues", "See, pause, resume and purge queues."),
    "dead": Entry("goatherd.cli.dead:dead", "See, replay and discard dead letters."),
    "lanes": Entry("goatherd.cli.lanes:lanes", "See lanes of jobs that are done in order, and help held ones on."),
    "listeners": Entry("goatherd.cli.listeners:listeners", "See listeners from data, and start one anew."),
    "schedules": Entry("goatherd.cli.schedules:schedules", "See schedules, pause, resume and fire them."),
    "runs": Entry("goatherd.cli.runs:runs", "See runs of pipelines, and help those on that failed."),
    "topology": Entry("goatherd.cli.topology:topology", "Compare the broker with the app, and mend what differs."),
    "migrate": Entry("goatherd.cli.migrate:migrate", "Bring the databases of an app to the schema of this version."),
    "doctor": Entry("goatherd.cli.doctor:doctor", "Find out what is wrong, and how to mend it."),
    "top": Entry("goatherd.cli.top:top", "Show live how queues, workers, schedules and listeners stand."),
    "demo": Entry("goatherd.cli.demo:demo", "Play scenes that show what Goatherd does."),
    "bench": Entry("goatherd.cli.bench:bench", "Measure how fast jobs go through this machine."),
    "completion": Entry("goatherd.cli.completion:completion", "Print the completion script of a shell."),
}

HELP = """Background work for Python: send jobs, do them, and see what became of them.

Most commands take your app as MODULE:APP, for example shop:app for the variable `app` in shop.py. The folder that
you are in is searched first.

\b
Start here:
  goatherd dev shop:app                     a worker that reloads when you save
  goatherd send shop:app greet name=Ada     give it something to do

Every command has --help with examples. Exit codes: 0 well, 1 failed, 2 wrong usage; those of
`goatherd topology`: 2 drift, 1 all else that is wrong.
"""

cli = LazyGroup("goatherd", COMMANDS, help=HELP)
cli = click.version_option(package_name="goatherd", message="goatherd %(version)s")(cli)


def main() -> None:
    """Run the command line and leave the process with its exit code."""
    try:
        code = run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        code = _reader_is_gone()
    except KeyboardInterrupt:
        code = 1
    # From here on Ctrl-C ends the process at once; Python would answer it with a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """The exit code of one command; its errors are shown, never as a traceback."""
    try:
        told = cli.main(arguments, prog_name="goatherd", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.UsageError as error:
        from goatherd.cli.output import show_usage_error

        show_usage_error(error)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return 1
    except BrokenPipeError:
        return _reader_is_gone()
    return told if isinstance(told, int) else 0


def _reader_is_gone() -> int:
    """`goatherd … | head`: whoever read our output has left, so the interpreter must not try to flush it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
