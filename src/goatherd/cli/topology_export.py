"""`goatherd topology export`: what the app wants, or what the broker has, as a file for others."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.topology_access import Declare, app_of, definition_of, for_app, look, tell_unseen
from goatherd.cli.topology_writing import STANDARD, Writing, write_text, writing_options

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.blueprint import Blueprint


@click.command()
@for_app
@click.option("--live", is_flag=True, help="What the broker has now, instead of what the app wants.")
@click.option("--output", "place", metavar="FILE", default=STANDARD, help="Where to; standard output by default.")
@writing_options
@with_output
def export(output: Output, target: str, declare: Declare | None, live: bool, place: str, writing: Writing) -> None:
    """Write what the app wants its broker to have, for those who make it elsewhere.

    \b
    yaml         for kubectl: resources of the Messaging Topology Operator
    definitions  for rabbitmqctl import_definitions: definitions.json

    Both can be read again with app.topology.load, import and diff. --live writes what is on the broker now, and
    whatever programs other than this app have made there, too. --json is the same as --format definitions.

    \b
    Examples:
      goatherd topology export shop:app > topology.yaml
      goatherd topology export shop:app --namespace shop | kubectl apply -f -
      goatherd topology export shop:app --live --json > before.json
    """
    app = app_of(target, declare)
    blueprint = asyncio.run(_live(app) if live else _wanted(app))
    chosen = replace(writing, format="definitions") if output.json else writing
    write_text(place, chosen.text(blueprint))
    if place != STANDARD:
        click.echo(f"Written to {place}.", err=True)


async def _wanted(app: Goatherd) -> Blueprint:
    return (await definition_of(app)).blueprint


async def _live(app: Goatherd) -> Blueprint:
    looked = await look(app)
    tell_unseen(looked.survey, "written")
    return looked.survey.blueprint
