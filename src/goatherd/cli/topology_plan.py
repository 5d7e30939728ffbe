"""`goatherd topology plan`: in what the broker differs from what the app wants."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.topology_access import DRIFT, Declare, app_of, broker_of, for_app, look, tell_unseen
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.topology_access import Looked


@click.command()
@for_app
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "json", "prometheus"]),
    default="table",
    show_default=True,
    help="How to write it; prometheus is a gauge for each class.",
)
@with_output
def plan(output: Output, target: str, declare: Declare | None, shape: Literal["table", "json", "prometheus"]) -> int:
    """Show in what the broker differs from what the app wants; nothing is changed.

    \b
    create, bind      it is missing
    unbind            a way that leads where nothing should come from there
    policy            it is missing, or says something else
    replace queue     it has other arguments, which a broker never changes;
    replace exchange  nor does it change those of an exchange
    orphan            a library or an earlier version left it
    shadowed          a policy has no effect here

    Each row says what is wanted and, after the arrow, what was found. What could lose messages, or their order, when
    it is mended is marked with ! and explained below the table; apply leaves it alone unless you allow it.

    Exit codes: 0 nothing differs, 2 something does, 1 it could not be found out.

    \b
    Examples:
      goatherd topology plan shop:app
      goatherd topology plan shop:app --json | jq '.differences[].name'
      goatherd topology plan shop:app --format prometheus > drift.prom
    """
    app = app_of(target, declare)
    looked = asyncio.run(look(app))
    if output.json or shape == "json":
        from goatherd.cli.drift_report import drift_as_json

        output.write_json(drift_as_json(looked))
    elif shape == "prometheus":
        from goatherd.cli.drift_gauge import drift_gauge

        click.echo(drift_gauge(app.name, looked.differences), nl=False)
        tell_unseen(looked.survey)
    else:
        _print(app, looked, target)
    return DRIFT if looked.differences else 0


def _print(app: Goatherd, looked: Looked, target: str) -> None:
    from goatherd.cli.drift_report import print_drift
    from goatherd.cli.drift_words import next_step

    if looked.differences:
        print_drift(looked.differences)
        tell_unseen(looked.survey)
        click.echo(next_step(looked.differences, target))
        return
    wanted = looked.definition.blueprint
    seen = f"{counted(len(wanted.queues), 'queue')} and {counted(len(wanted.exchanges), 'exchange')}"
    so_far = " in what was seen" if looked.survey.unseen else ""
    click.echo(f"No drift{so_far}: {broker_of(app)} is as {target} wants it ({seen}).")
    tell_unseen(looked.survey)
