"""From the settings to how fast queues fill and empty, where the broker counts that."""

from goatherd.errors import MissingExtra
from goatherd.model.settings import Settings
from goatherd.ports.inflow import QueueInflow
from goatherd.wiring.plumbing import inflow_of


def flows_of(settings: Settings) -> QueueInflow | None:
    """Who counts what comes and goes; None where nobody does. Raises SettingsError or MissingExtra."""
    if not settings.broker_url.startswith("amqp"):
        return None
    try:
        from goatherd.adapters.rabbitmq.address import read_address
    except ImportError as error:
        raise MissingExtra("A broker_url with amqp://", "rabbitmq") from error
    return inflow_of(settings, read_address(settings.broker_url))
