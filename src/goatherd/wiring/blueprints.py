"""What an app wants its broker to have, in the words of the broker that it uses."""

from collections.abc import Iterable, Sequence

from goatherd.errors import DefinitionError, MissingExtra
from goatherd.model.app_topology import Topology
from goatherd.model.blueprint import Blueprint
from goatherd.model.settings import Settings
from goatherd.model.topology import Queue


def app_blueprint(
    settings: Settings, queues: Sequence[Queue], topology: Topology, holds: Iterable[int] = ()
) -> Blueprint:
    """What the queues of an app need and what its topology says; raises DefinitionError, SettingsError, MissingExtra.

    `holds` are waits in milliseconds: the queues in which delayed jobs wait for so long belong to it, too.
    """
    if not settings.broker_url.startswith(("amqp://", "amqps://")):
        raise DefinitionError("Only RabbitMQ has a topology; set broker_url to one that begins with amqp://.")
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.wanted import wanted_blueprint
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    besides = topology.blueprint(read_address(settings.broker_url).virtual_host)
    return wanted_blueprint(settings.app, queues, settings.queue_type, besides, holds)
