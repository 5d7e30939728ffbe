"""From the settings to how fast queues fill and empty, where the broker counts that."""

from collections.abc import Awaitable, Callable, Mapping

from goatherd.errors import MissingExtra
from goatherd.model.flow import Flow
from goatherd.model.settings import Settings
from goatherd.wiring.plumbing import management_of


def flows_of(settings: Settings) -> Callable[[], Awaitable[Mapping[str, Flow]]] | None:
    """What is asked for the flows of all queues; None where nobody counts. Raises SettingsError or MissingExtra."""
    if not settings.broker_url.startswith("amqp"):
        return None
    try:
        from goatherd.adapters.rabbitmq.address import read_address
        from goatherd.adapters.rabbitmq.flows import queue_flows
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    address = read_address(settings.broker_url)
    management = management_of(settings, address)
    return lambda: queue_flows(management, address.virtual_host)
