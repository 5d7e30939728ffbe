"""`goatherd topology diff`: a file compared with the app, or with the broker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Output, with_output
from goatherd.cli.topology_access import (
    DRIFT,
    Declare,
    app_of,
    broker_of,
    definition_of,
    for_app,
    look_for,
    tell_unseen,
)
from goatherd.cli.topology_reading import file_argument, read_topology, vhost_option
from goatherd.cli.wording import counted

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.cli.topology_reading import TopologyFile
    from goatherd.model.definition import Definition
    from goatherd.model.difference import Scope
    from goatherd.model.survey import Survey


@click.command()
@for_app
@file_argument
@click.option("--live", is_flag=True, help="Compare the file with the broker instead of with the app.")
@vhost_option
@with_output
def diff(output: Output, target: str, declare: Declare | None, file: str, live: bool, vhost: str | None) -> int:
    """Compare a file with what the app wants, or with --live with what the broker has.

    FILE is YAML of the Messaging Topology Operator or a definitions.json; - is standard input. What the file says of
    users and permissions is not compared. Nothing is changed.

    Exit codes: 0 nothing differs, 2 something does, 1 it could not be found out.

    \b
    Examples:
      goatherd topology diff shop:app topology.yaml         is it up to date?
      goatherd topology diff shop:app topology.yaml --live  is the broker so?
    """
    app = app_of(target, declare)
    definition = asyncio.run(definition_of(app))
    read = read_topology(file, definition.blueprint.vhost, vhost)
    if live:
        return _with_broker(output, app, definition, read, target)
    return _with_app(output, definition, read, target, file)


def _with_app(output: Output, definition: Definition, read: TopologyFile, target: str, file: str) -> int:
    from goatherd.cli.blueprint_comparison import compare
    from goatherd.cli.importing import lasting

    found = compare(definition.blueprint, lasting(definition, read)[0])
    if output.json:
        output.write_json({"differ": bool(found), "differences": [each.plain() for each in found]})
    elif not found:
        click.echo(f"No difference: {read.name} says what {target} wants.")
    else:
        from goatherd.cli.comparison_table import comparison_table

        output.console().print(comparison_table(found))
        click.echo(f"\n{counted(len(found), 'difference')} between {target} and {read.name}.")
        if any(each.where == "only in the file" for each in found):
            click.echo(f"To let the app know what only the file has: goatherd topology import {target} {file}")
        click.echo(f"To write all that the app wants: goatherd topology export {target}")
    return DRIFT if found else 0


def _with_broker(output: Output, app: Goatherd, definition: Definition, read: TopologyFile, target: str) -> int:
    from goatherd.cli.drift_report import drift_as_json, print_drift

    looked = asyncio.run(look_for(app, replace(definition, blueprint=read.blueprint, scope=_modest(definition))))
    if output.json:
        output.write_json(drift_as_json(looked))
    elif not looked.differences:
        click.echo(f"No drift: {broker_of(app)} is as {read.name} says.")
    else:
        print_drift(looked.differences)
        click.echo(f"To mend it, let the app load the file with app.topology.load: goatherd topology apply {target}")
    if not output.json:
        tell_unseen(looked.survey)
    return DRIFT if looked.differences else 0


def _modest(definition: Definition) -> Callable[[Survey], Scope]:
    """Judge by the file alone: it may be a part of what the app wants, whose rest is not left over."""
    return lambda seen: replace(definition.scope(seen), prefixes=(), graves=frozenset())
