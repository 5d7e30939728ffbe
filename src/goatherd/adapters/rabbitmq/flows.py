"""How fast queues fill and empty, as the management API counts."""

from collections.abc import Mapping

import msgspec

from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.errors import Unavailable
from goatherd.model.flow import Flow

_COLUMNS = "name,message_stats.publish_details.rate,message_stats.ack_details.rate"


class _Rate(msgspec.Struct):
    rate: float = 0.0


class _Counted(msgspec.Struct):
    publish_details: _Rate = msgspec.field(default_factory=_Rate)
    ack_details: _Rate = msgspec.field(default_factory=_Rate)


class _Queue(msgspec.Struct):
    name: str
    #: Missing while nothing has happened.
    message_stats: _Counted = msgspec.field(default_factory=_Counted)


async def queue_flows(management: Management, virtual_host: str) -> Mapping[str, Flow]:
    """By queue; raises Unavailable or SettingsError."""
    try:
        told = await management.ask(f"{path_of('queues', virtual_host)}?columns={_COLUMNS}")
        queues = msgspec.convert(told, list[_Queue])
    except (NotThere, msgspec.ValidationError) as error:
        raise Unavailable(f"What {management.address} tells of its queues is not understood: {error}.") from error
    return {
        each.name: Flow(arriving=each.message_stats.publish_details.rate, leaving=each.message_stats.ack_details.rate)
        for each in queues
    }
