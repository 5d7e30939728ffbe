"""`goatherd topology import`: from somebody else's file to one that the app can load."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.target import load_app, target_argument
from goatherd.cli.topology_access import definition_of
from goatherd.cli.topology_reading import file_argument, read_topology, vhost_option
from goatherd.cli.topology_writing import STANDARD, Writing, write_text, writing_options
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.cli.importing import Taken


@click.command("import")
@target_argument
@file_argument
@vhost_option
@click.option("--output", "place", metavar="FILE", default=STANDARD, help="Where to; standard output by default.")
@writing_options
@with_output
def import_file(output: Output, target: str, file: str, vhost: str | None, place: str, writing: Writing) -> None:
    """Turn YAML of the Messaging Topology Operator, or a definitions.json, into a file for app.topology.load.

    It has what FILE (- is standard input) says besides what the app's code says already. Where both say something
    else about the same thing, that is an error with both. What is no topology, such as users and permissions, and
    what comes and goes is left out, and you are told so. A file that is there already is not written over.

    \b
    Examples:
      goatherd topology import shop:app definitions.json --output topology.yaml
      rabbitmqctl export_definitions - | goatherd topology import shop:app -
    """
    from goatherd.cli.importing import take_in

    definition = asyncio.run(definition_of(load_app(target)))
    read = read_topology(file, definition.blueprint.vhost, vhost)
    taken = take_in(definition, read)
    text = writing.text(taken.blueprint)
    if place != STANDARD or not output.json:
        write_text(place, text, anew=True)
    if output.json:
        written = {"output": None, "text": text} if place == STANDARD else {"output": place}
        output.write_json({**written, "known": taken.known, "left_out": taken.left_out})
    else:
        _tell(taken, read.name, place)


def _tell(taken: Taken, file: str, place: str) -> None:
    """On standard error, because the file may be on standard output."""
    for sentence in taken.left_out:
        click.echo(sentence, err=True)
    if taken.known:
        click.echo(f"{file}: {counted(taken.known, 'thing')} left out, because the app says the same.", err=True)
    found = taken.blueprint
    new = len(found.exchanges) + len(found.queues) + len(found.bindings) + len(found.policies)
    click.echo(f"{counted(new, 'thing')} taken from {file}.", err=True)
    if new and place != STANDARD:
        click.echo(f"Let the app know them: app.topology.load({place!r})", err=True)
