"""`goatherd runs show`: draw one run."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.durations import spoken
from goatherd.cli.output import Output, with_output
from goatherd.cli.redaction import printable
from goatherd.cli.run_access import look_at_run, run_argument
from goatherd.cli.target import load_app, target_argument

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.run_looks import StepView
    from goatherd.model.run_record import RunLook, RunSummary

#: Characters of the input that are shown.
MOST_INPUT = 500


@click.command("show")
@target_argument
@run_argument
@click.option("--watch", is_flag=True, help="Draw it anew until it has ended; 0 if it is done, otherwise 1.")
@with_output
def show_run(output: Output, target: str, run: str, watch: bool) -> int:
    """Draw a run: its steps from first to last, lines from each to those that wait for it, and how each stands.

    \b
    ✓ done       ● somebody has it           ! waits to be stood in for
    ✗ failed     ○ ready for a worker        · waits for steps before it
    - passed over or left out                + in the code, not in this run

    Beside a step: its items, of all; the time since it was first begun; failed attempts, of all its items; the worker
    that has it, and how many more. Under it: what went wrong last. `failures` count again when a step is tried anew.

    RUN is a run's id, or the last 6 or more characters of it. Members of the input named in the setting `redact` (by
    default password, token, secret) are shown as ***.

    \b
    Examples:
      goatherd runs show shop:app video-7
      goatherd runs show shop:app video-7 --watch
    """
    from goatherd.desk.run_finding import code_of
    from goatherd.desk.run_looks import look_json, steps_of

    app = load_app(target)
    look = asyncio.run(_watch(app, run, output) if watch else look_at_run(app, run))
    steps = steps_of(look, code_of(app, look.summary.pipeline))
    if not output.json:
        _print(output, app, target, look, steps)
    elif not watch:
        output.write_json(look_json(app, look, steps))
    return 1 if watch and look.summary.state != "done" else 0


async def _watch(app: Goatherd, run: str, output: Output) -> RunLook:
    from goatherd.cli.run_watching import watch_run

    return await watch_run(app, run, output)


def _print(output: Output, app: Goatherd, target: str, look: RunLook, steps: Sequence[StepView]) -> None:
    """Facts, one a line, never cut, so that ids can be copied; then the drawing, and what can be done."""
    import time

    from goatherd.cli.run_picture import Picture

    console = output.console()
    lines = _lines(app, look)
    width = max(map(len, lines))
    for name, value in lines.items():
        click.echo(f"{click.style(name.ljust(width), bold=True)}  {_shown(value, console.encoding)}")
    click.echo()
    # What was left when a run ended takes no more time.
    now = look.summary.ended_at or time.time()
    for line in Picture(steps, width=console.width, encoding=console.encoding, now=now).lines():
        console.print(line, soft_wrap=True)
    trouble = look.summary.trouble
    if look.summary.state == "failed" and trouble is not None and trouble.traceback:
        click.echo(f"\n{_shown(trouble.traceback.rstrip(), console.encoding)}")
    advice = _advice(target, look.summary, steps)
    if advice:
        click.echo(f"\n{_shown(advice, console.encoding)}")


def _lines(app: Goatherd, look: RunLook) -> dict[str, str]:
    import msgspec

    from goatherd.desk.run_finding import names_of_pipelines
    from goatherd.desk.run_looks import run_input

    run = look.summary
    lines = {"run": run.id, "pipeline": run.pipeline}
    if run.pipeline not in names_of_pipelines(app):
        lines["pipeline"] += f" (the app {app.name!r} has none of that name, so nobody knows what comes after what)"
    lines["state"] = f"{run.state}, {run.steps_done} of {run.steps} steps done"
    lines["began"] = _told(run.created)
    if run.ended_at is not None:
        lines["ended"] = f"{_told(run.ended_at)}, after {spoken(max(0.0, run.ended_at - run.created))}"
    told = msgspec.json.encode(run_input(app, look)).decode()
    lines["input"] = told if len(told) <= MOST_INPUT else f"{told[:MOST_INPUT]} ... (--json shows all of it)"
    return lines


def _advice(target: str, run: RunSummary, steps: Sequence[StepView]) -> str:
    from goatherd.desk.run_looks import short_run

    where = f"{target} {shlex.quote(short_run(run.id))}"
    standing = [step.name for step in steps if step.look is not None and step.look.compensating]
    match run.state:
        case "failed":
            return (
                f"Try again what failed: goatherd runs retry {where}\n"
                f"Go back to a step and do it anew: goatherd runs retry {where} --from STEP"
            )
        case "cancelled":
            return f"Take it up again: goatherd runs retry {where}"
        case "running" if standing:
            return f"Try again what waits to be stood in for: goatherd runs retry {where} --step {standing[0]}"
        case "running":
            return f"Stop it: goatherd runs cancel {where}"
    return ""


def _told(when: float) -> str:
    import time

    from goatherd.model.envelope import moment

    return f"{moment(when).astimezone():%Y-%m-%d %H:%M:%S %Z}, {spoken(max(0.0, time.time() - when))} ago"


def _shown(text: str, encoding: str) -> str:
    return printable(text).encode(encoding, "backslashreplace").decode(encoding)
