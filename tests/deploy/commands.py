"""Command lines of the files, as they can be run on this machine."""

import importlib
import re
from collections.abc import Mapping, Sequence

import click

from goatherd.cli.main import COMMANDS

#: What the files ask every role for, so that it can be asked how it is.
HEALTH = ("--health-host", "--health-port")


def options_of(role: str) -> set[str]:
    """The options that a command has."""
    module, _, name = COMMANDS[role].home.partition(":")
    command: click.Command = getattr(importlib.import_module(module), name)

    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def has_health(command: Sequence[str]) -> bool:
    """Whether it can be asked how it is."""
    return "--health-port" in command or "--port" in command or command[-1] == "examples.arcade.api"


def at_home(part: str, ports: Mapping[str, int]) -> str:
    """A part of a command or a variable with addresses of this machine in place of those of containers."""
    if part in ports:
        return str(ports[part])
    part = part.replace("0.0.0.0", "127.0.0.1")
    return re.sub(r"//[\w.]+:(\d+)", lambda found: f"//127.0.0.1:{ports.get(found[1], found[1])}", part)
