"""`goatherd topology show`: what the app wants its broker to have."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.topology_access import Declare, app_of, definition_of, for_app
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.model.blueprint import Blueprint


@click.command()
@for_app
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "yaml", "json"]),
    default="table",
    show_default=True,
    help="How to write it; yaml and json are those of export.",
)
@with_output
def show(output: Output, target: str, declare: Declare | None, shape: Literal["table", "yaml", "json"]) -> None:
    """Show what the app wants its broker to have; the broker itself is not asked.

    It is what the tasks, pipelines, calls and listeners of the app need, and what app.topology says besides.

    \b
    Examples:
      goatherd topology show shop:app
      goatherd topology show shop:app --format yaml
    """
    app = app_of(target, declare)
    blueprint = asyncio.run(definition_of(app)).blueprint
    if output.json or shape == "json":
        from goatherd.model.definitions_json import write_definitions

        click.echo(write_definitions(blueprint), nl=False)
    elif shape == "yaml":
        from goatherd.cli.topology_writing import PLAIN

        click.echo(PLAIN.text(blueprint), nl=False)
    else:
        _print(output, blueprint, target)


def _print(output: Output, blueprint: Blueprint, target: str) -> None:
    from goatherd.cli.blueprint_table import blueprint_tables

    console = output.console()
    for table in blueprint_tables(blueprint):
        console.print(table)
        console.print()
    parts = (
        counted(len(blueprint.exchanges), "exchange"),
        counted(len(blueprint.queues), "queue"),
        counted(len(blueprint.bindings), "binding"),
        _policies(len(blueprint.policies)),
    )
    click.echo(f"{', '.join(parts)} in the virtual host {blueprint.vhost!r}.")
    click.echo(f"To compare this with the broker: goatherd topology plan {target}")


def _policies(number: int) -> str:
    return "1 policy" if number == 1 else f"{number:,} policies"
