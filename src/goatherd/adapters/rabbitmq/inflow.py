"""How much comes into queues and goes out of them, as the management API of RabbitMQ counts."""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.errors import Unavailable
from goatherd.model.flow import Flow
from goatherd.model.head_age import Inflow

#: All that anybody asks for, so that one question is enough.
_COLUMNS = {
    "columns": "name,messages_ready,message_stats.publish,"
    "message_stats.publish_details.rate,message_stats.ack_details.rate"
}


class _Rate(msgspec.Struct):
    rate: float = 0.0


class _Stats(msgspec.Struct):
    publish: int | None = None
    publish_details: _Rate = msgspec.field(default_factory=_Rate)
    ack_details: _Rate = msgspec.field(default_factory=_Rate)


class _Queue(msgspec.Struct):
    name: str
    #: Missing while the queue's node is away, or before it has told anything.
    messages_ready: int | None = None
    #: Missing while nothing has happened.
    message_stats: _Stats = msgspec.field(default_factory=_Stats)


class RabbitInflow:
    """Satisfies `QueueInflow`."""

    def __init__(self, management: Management, virtual_host: str) -> None:
        self._management = management
        self._path = f"{path_of('queues', virtual_host)}?{urlencode(_COLUMNS)}"

    async def inflows(self) -> Mapping[str, Inflow]:
        flows = await self.flows()
        return {name: flow.inflow for name, flow in flows.items() if flow.inflow is not None}

    async def flows(self) -> Mapping[str, Flow]:
        try:
            told = await self._management.ask(self._path)
            queues = msgspec.convert(told, list[_Queue])
        except (NotThere, msgspec.ValidationError) as error:
            raise Unavailable(f"The broker does not tell how much comes into its queues: {error}") from error
        return {each.name: _flow(each) for each in queues}


def _flow(told: _Queue) -> Flow:
    stats, ready = told.message_stats, told.messages_ready
    return Flow(
        arriving=stats.publish_details.rate,
        leaving=stats.ack_details.rate,
        inflow=Inflow(came=stats.publish, ready=ready) if stats.publish and ready is not None else None,
    )
