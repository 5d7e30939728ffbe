"""What an app wants its broker to have, in the words of the broker that it uses."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from goatherd.errors import DefinitionError, MissingExtra
from goatherd.model.app_topology import Topology
from goatherd.model.blueprint import Blueprint
from goatherd.model.definition import Definition
from goatherd.model.difference import Scope
from goatherd.model.settings import Settings
from goatherd.model.survey import Survey
from goatherd.model.topology import Queue


def app_definition(
    settings: Settings, queues: Sequence[Queue], topology: Topology, passing: Iterable[str] = ()
) -> Definition:
    """What an app wants, and what is its own to judge; raises DefinitionError, SettingsError or MissingExtra.

    `passing` are patterns of names that come and go. Where queues are made when they are needed, those in which
    delayed jobs wait come and go, too; where the app makes nothing, they belong to the definition.
    """
    made_when_needed = settings.declare == "create"
    blueprint = app_blueprint(settings, queues, topology, () if made_when_needed else _hold_waits())
    come_and_go = tuple(passing)

    def scope(seen: Survey) -> Scope:
        from goatherd.adapters.rabbitmq.scope import scope_of

        own = scope_of(settings.app, queues, seen)
        return replace(own, passing=(*own.passing, *come_and_go))

    def holds_there(seen: Survey) -> Blueprint:
        return app_blueprint(settings, queues, topology, _waits_of(settings.app, seen))

    return Definition(blueprint=blueprint, scope=scope, where_there=holds_there if made_when_needed else None)


def app_blueprint(
    settings: Settings, queues: Sequence[Queue], topology: Topology, holds: Iterable[int] = ()
) -> Blueprint:
    """What the queues of an app need and what its topology says; raises DefinitionError, SettingsError, MissingExtra.

    `holds` are waits in milliseconds: the queues in which delayed jobs wait for so long belong to it, too.
    """
    check_has_topology(settings)
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.wanted import wanted_blueprint
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    besides = topology.blueprint(read_address(settings.broker_url).virtual_host)
    return wanted_blueprint(settings.app, queues, settings.queue_type, besides, holds)


def _hold_waits() -> Iterable[int]:
    """The waits, in milliseconds, that there are hold queues for where they are not made when they are needed."""
    try:
        from goatherd.adapters.rabbitmq.delays import coarse_grid
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    return coarse_grid()


def _waits_of(app: str, seen: Survey) -> Iterable[int]:
    """The waits that a broker has hold queues for."""
    from goatherd.adapters.rabbitmq.names import Names

    return filter(None, (Names(app).wait_of(queue.name) for queue in seen.blueprint.queues))


def has_topology(settings: Settings) -> bool:
    """Whether the broker has exchanges, queues and bindings that others may change, too."""
    return settings.broker_url.startswith(("amqp://", "amqps://"))


def check_has_topology(settings: Settings) -> None:
    """Raise DefinitionError where there is nothing to define."""
    if not has_topology(settings):
        raise DefinitionError("Only RabbitMQ has a topology; set broker_url to one that begins with amqp://.")
