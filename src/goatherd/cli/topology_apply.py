"""`goatherd topology apply`: make the broker as the app wants it, under traffic."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from goatherd.cli.durations import Duration
from goatherd.cli.output import Failed, Output, agree, with_output
from goatherd.cli.topology_access import DRIFT, app_of, broker_of, for_app, look
from goatherd.cli.wording import counted
from goatherd.errors import Unavailable

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.apply_choice import Choice
    from goatherd.engine.topology.progress import Applied
    from goatherd.model.definition import Definition
    from goatherd.model.difference import Difference

_AGAIN = "What was done stays done. Run the same command again, and it goes on where it was."


@click.command()
@for_app
@click.option("--dry-run", is_flag=True, help="Show what would be done and what not, and change nothing.")
@click.option("--allow-loss", is_flag=True, help="Also do what could lose messages or their order.")
@click.option("--only", multiple=True, metavar="NAME", help="Only this queue, exchange or policy; may be repeated.")
@click.option(
    "--wait",
    type=Duration(),
    default=60.0,
    show_default="60s",
    help="How long others have to get out of the way of a replacement.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@with_output
def apply(output: Output, target: str, **how: Any) -> int:
    """Make the broker as the app wants it, while programs send and work.

    What is missing is made, and what is left over is deleted. A queue with other arguments is replaced: workers of
    Goatherd are paused, a stand-in takes new messages, and what waits is moved there and back. A message can come
    twice, but none is lost. What could lose messages, or their order, is left alone and explained, unless you say
    --allow-loss.

    If it is interrupted, whatever the reason, run it again: it goes on where it was. By default you are asked first.

    Exit codes: 0 nothing differs any more, 2 something is left, 1 it failed.

    \b
    Examples:
      goatherd topology apply shop:app --dry-run
      goatherd topology apply shop:app
      goatherd topology apply shop:app --only mail --wait 5m --yes
    """
    from goatherd.cli.apply_choice import Choice
    from goatherd.cli.apply_report import tell_applied, tell_dry_run, tell_nothing_to_do
    from goatherd.cli.drift_report import print_drift

    app = app_of(target, how["declare"])
    looked = asyncio.run(look(app))
    choice = Choice(allow_loss=how["allow_loss"], only=how["only"])
    choice.check_names(looked.definition.blueprint, looked.differences)
    if not looked.differences:
        tell_nothing_to_do(output, app, looked, target)
        return 0
    if not output.json:
        print_drift(looked.differences)
    if how["dry_run"]:
        tell_dry_run(output, looked, choice)
        return DRIFT
    todo = choice.would_do(looked.differences)
    if todo:
        agree(_question(app, todo), yes=how["yes"])
    applied = asyncio.run(_run(app, looked.definition, choice, how["wait"]))
    tell_applied(output, applied, looked, target, choice)
    return DRIFT if applied.left else 0


def _question(app: Goatherd, todo: Sequence[Difference]) -> str:
    losing = sum(not each.is_safe for each in todo)
    risk = f" {losing:,} could lose messages or their order." if losing else ""
    return f"Make {counted(len(todo), 'change')} on {broker_of(app)}?{risk}"


async def _run(app: Goatherd, definition: Definition, choice: Choice, wait: float) -> Applied:
    from goatherd.cli.topology_progress import StepByStep
    from goatherd.engine.topology.applying import Applying
    from goatherd.wiring import open_plumbing

    async with open_plumbing(app.settings) as plumbing:
        with StepByStep() as steps:
            applying = Applying(
                plumbing, definition, steps.tell, allow_loss=choice.allow_loss, only=choice.only, patience=wait
            )
            try:
                return await applying.run()
            except Unavailable as error:
                if not steps.began:
                    raise
                raise Failed(f"{error}\n{_AGAIN}") from error
            except asyncio.CancelledError:
                click.echo(f"\n{_AGAIN}", err=True)
                raise
