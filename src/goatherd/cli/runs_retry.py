"""`goatherd runs retry`: try again what failed in a run, or go back to a step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed, Output, agree, with_output
from goatherd.cli.run_access import look_at_run, run_argument
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import RunLook, RunSummary


@click.command()
@target_argument
@run_argument
@click.option("--step", "steps", multiple=True, metavar="NAME", help="Only what failed in this step; may be repeated.")
@click.option("--from", "start", metavar="NAME", help="Forget this step and all after it, and do them again.")
@click.option("--yes", is_flag=True, help="Do not ask before --from.")
@with_output
def retry(output: Output, target: str, run: str, steps: tuple[str, ...], start: str | None, yes: bool) -> None:
    """Try again what failed in a run, or waits to be stood in for, with all its attempts ahead of it.

    The run goes on, with all that was left in it; what is done is not done again. A run that was cancelled is taken up
    again where it was.

    With --from the run goes back to a step: what is on record of it and of all steps after it is forgotten, and they
    are done again, also if the run was done. You are asked first.

    RUN is a run's id, or the last 6 or more characters of it.

    \b
    Examples:
      goatherd runs retry shop:app video-7
      goatherd runs retry shop:app video-7 --step tts
      goatherd runs retry shop:app video-7 --from translate
    """
    if steps and start is not None:
        raise click.UsageError("--step tries again what failed in a step, --from goes back to one; give one of them.")
    app = load_app(target)
    look = asyncio.run(look_at_run(app, run))
    if start is not None:
        _go_back(output, app, look, start, yes=yes)
        return
    count = asyncio.run(_retry(app, look.summary.id, steps))
    if output.json:
        output.write_json({"run": look.summary.id, "retried": count})
    else:
        output.say(_told(look.summary, count))


def _go_back(output: Output, app: Goatherd, look: RunLook, start: str, *, yes: bool) -> None:
    from goatherd.desk.run_finding import check_step, code_of

    code = code_of(app, look.summary.pipeline)
    if code is None:
        told = f"The app {app.name!r} has no pipeline {look.summary.pipeline!r}"
        raise Failed(f"{told}, so it is not known what comes after {start!r}. Name the app that the run belongs to.")
    check_step(start, code.steps, f"Pipeline {code.name!r} has")
    check_step(start, [step.name for step in look.steps], f"{_named(look.summary)} has")
    again = [step.name for step in code.from_here(start)]
    agree(_question(look, again), yes=yes)
    asyncio.run(_resume(app, look.summary.id, start))
    if output.json:
        output.write_json({"run": look.summary.id, "resumed_from": start, "again": again})
    else:
        output.say(f"{_named(look.summary)} goes on from {start}: {', '.join(again)} {_are(again)} done again.")


async def _retry(app: Goatherd, run: str, steps: Sequence[str]) -> int:
    from goatherd.desk.runs import retry as try_again

    async with app:
        return await try_again(app, run, steps)


async def _resume(app: Goatherd, run: str, step: str) -> None:
    from goatherd.desk.runs import resume_from

    async with app:
        await resume_from(app, run, step)


def _question(look: RunLook, again: Sequence[str]) -> str:
    known = [step for step in look.steps if step.name in again]
    done, running = sum(step.done for step in known if step.total), sum(step.running for step in known)
    lost = f"; {counted(done, 'result')} of theirs {'is' if done == 1 else 'are'} forgotten" if done else ""
    stopped = (
        f", and what {counted(running, 'worker')} still {'does' if running == 1 else 'do'} of it counts for nothing"
    )
    return f"Do {', '.join(again)} of {_named(look.summary).lower()} again{lost}{stopped if running else ''}?"


def _told(run: RunSummary, count: int) -> str:
    if not count:
        return f"{_named(run)} is taken up again where it was."
    what = "1 failed step or item is" if count == 1 else f"{count:,} failed steps or items are"
    return f"{_named(run)} goes on: {what} tried again now."


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _named(run: RunSummary) -> str:
    return f"Run {run.id}"
