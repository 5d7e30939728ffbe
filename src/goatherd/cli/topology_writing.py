"""A topology as text: in which format, for which cluster, and where it goes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from goatherd.cli.output import Failed

if TYPE_CHECKING:
    from goatherd.model.blueprint import Blueprint

#: The file that is standard input or standard output.
STANDARD = "-"


@dataclass(frozen=True, kw_only=True)
class Writing:
    """As the user said it."""

    format: Literal["yaml", "definitions"]
    cluster: str
    namespace: str | None
    connection_secret: str | None

    def text(self, blueprint: Blueprint) -> str:
        """All of a blueprint; raises DefinitionError for what the format cannot say."""
        if self.format == "definitions":
            from goatherd.model.definitions_json import write_definitions

            return write_definitions(blueprint)
        from goatherd.model.operator_yaml import Cluster, write_operator_yaml

        secret = self.connection_secret
        name = None if secret else self.cluster
        return write_operator_yaml(blueprint, Cluster(name=name, connection_secret=secret), namespace=self.namespace)


def writing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a topology is written; the command gets them as `writing`."""

    @functools.wraps(function)
    def command(*, shape: Any, cluster: str, namespace: str | None, connection_secret: str | None, **given: Any) -> Any:
        writing = Writing(format=shape, cluster=cluster, namespace=namespace, connection_secret=connection_secret)
        return function(writing=writing, **given)

    options = (
        click.option(
            "--format",
            "shape",
            type=click.Choice(["yaml", "definitions"]),
            default="yaml",
            show_default=True,
            help="Resources of the Messaging Topology Operator, or RabbitMQ's definitions.json.",
        ),
        click.option("--cluster", default="rabbitmq", show_default=True, help="The RabbitmqCluster that YAML names."),
        click.option("--namespace", help="The namespace of the resources in YAML."),
        click.option("--connection-secret", help="Name this Secret in YAML instead of a cluster."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def write_text(place: str, text: str, *, anew: bool = False) -> None:
    """Write to a file or to standard output; `anew` leaves a file alone that is there already. Raises Failed."""
    try:
        if place == STANDARD:
            click.echo(text, nl=False)
            return
        with Path(place).open("x" if anew else "w", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError as error:
        raise Failed(f"The file {place!r} is there already, and stays as it is. Give another --output.") from error
    except BrokenPipeError:
        # Whoever read it has read enough.
        raise
    except OSError as error:
        if place == STANDARD:
            raise Failed(f"Standard output cannot be written: {error.strerror or error}.") from error
        raise Failed(f"The file {place!r} cannot be written: {error.strerror or error}.") from error


#: YAML for whoever says nothing about a cluster.
PLAIN = Writing(format="yaml", cluster="rabbitmq", namespace=None, connection_secret=None)
