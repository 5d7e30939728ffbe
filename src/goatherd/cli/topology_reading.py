"""A file with a topology: the part of it that is about the virtual host of an app."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from goatherd.cli.output import Failed
from goatherd.cli.topology_writing import STANDARD

if TYPE_CHECKING:
    from goatherd.model.blueprint import Blueprint

file_argument = click.argument("file", metavar="FILE")
vhost_option = click.option(
    "--vhost", metavar="NAME", help="Of the file, take this virtual host for that of broker_url."
)


@dataclass(frozen=True, kw_only=True)
class TopologyFile:
    """What was read, of one virtual host."""

    #: How it is called in sentences.
    name: str
    blueprint: Blueprint
    #: What it says besides, which is no topology or somebody else's.
    notes: tuple[str, ...]


def read_topology(file: str, ours: str, vhost: str | None) -> TopologyFile:
    """Read a file, or standard input for `-`; `ours` is the app's virtual host. Raises Failed or DefinitionError."""
    from goatherd.model.topology_text import read_topology_text

    name = "standard input" if file == STANDARD else file
    meant = vhost or ours
    found = read_topology_text(_text(file, name), name, meant)
    if meant not in found.blueprints:
        about = ", ".join(repr(each) for each in sorted(found.blueprints))
        raise Failed(
            f"{name} says nothing about the virtual host {meant!r}; it is about {about}. If one of them is meant, say "
            f"so with --vhost."
        )
    others = tuple(
        f"{name}: the virtual host {each!r} is passed over; the app uses {ours!r}."
        for each in sorted(found.blueprints)
        if each != meant
    )
    return TopologyFile(name=name, blueprint=replace(found.of(meant), vhost=ours), notes=(*found.notes, *others))


def _text(file: str, name: str) -> str:
    try:
        return sys.stdin.read() if file == STANDARD else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        told = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Failed(f"{name} cannot be read: {told}.") from error
