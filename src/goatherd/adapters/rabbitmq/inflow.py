"""How much has come into queues, as the management API of RabbitMQ tells."""

from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.errors import Unavailable
from goatherd.model.head_age import Inflow

_COLUMNS = {"columns": "name,messages_ready,message_stats.publish"}


class _Stats(msgspec.Struct):
    publish: int | None = None


class _Queue(msgspec.Struct):
    name: str
    #: Missing while the queue's node is away, or before it has told anything.
    messages_ready: int | None = None
    message_stats: _Stats | None = None


class RabbitInflow:
    """Satisfies `QueueInflow`."""

    def __init__(self, management: Management, virtual_host: str) -> None:
        self._management = management
        self._path = f"{path_of('queues', virtual_host)}?{urlencode(_COLUMNS)}"

    async def inflows(self) -> Mapping[str, Inflow]:
        try:
            told = await self._management.ask(self._path)
            queues = msgspec.convert(told, list[_Queue])
        except (NotThere, msgspec.ValidationError) as error:
            raise Unavailable(f"The broker does not tell how much came into its queues: {error}") from error
        return {
            each.name: Inflow(came=each.message_stats.publish, ready=each.messages_ready)
            for each in queues
            if each.messages_ready is not None and each.message_stats is not None and each.message_stats.publish
        }
