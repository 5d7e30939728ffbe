"""From the broker's URL to its exchanges, queues, bindings and policies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from goatherd.errors import MissingExtra
from goatherd.model.settings import Settings
from goatherd.ports.inflow import QueueInflow
from goatherd.ports.plumbing import Plumbing
from goatherd.wiring.blueprints import check_has_topology

if TYPE_CHECKING:
    from goatherd.adapters.rabbitmq.address import Address
    from goatherd.adapters.rabbitmq.link import Link
    from goatherd.adapters.rabbitmq.management import Management


@asynccontextmanager
async def open_plumbing(settings: Settings) -> AsyncIterator[Plumbing]:
    """What a broker has, to be seen and changed until the block ends, on a connection of its own.

    Raises DefinitionError where there is no such broker, SettingsError, MissingExtra or Unavailable.
    """
    check_has_topology(settings)
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.link import Link
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    address = read_address(settings.broker_url)
    link = Link(address, f"{settings.app} topology")
    await link.open()
    try:
        yield plumbing_on(settings, address, link)
    finally:
        await link.close()


def plumbing_on(settings: Settings, address: "Address", link: "Link") -> Plumbing:
    """The same on a connection that is open; raises SettingsError."""
    from goatherd.adapters.rabbitmq.plumbing import RabbitPlumbing

    return RabbitPlumbing(link, management_of(settings, address))


def inflow_of(settings: Settings, address: "Address") -> QueueInflow:
    """How much has come into the queues of a broker; raises SettingsError."""
    from goatherd.adapters.rabbitmq.inflow import RabbitInflow

    return RabbitInflow(management_of(settings, address), address.virtual_host)


def management_of(settings: Settings, address: "Address") -> "Management":
    """The management API of a broker, beside it or where the settings say; raises SettingsError."""
    from goatherd.adapters.rabbitmq.management import Management
    from goatherd.adapters.rabbitmq.management_address import beside, read_management_url

    told = settings.management_url
    return Management(beside(address) if told is None else read_management_url(told, address))
