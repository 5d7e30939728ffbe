"""How many messages are in a queue now, and how many of them in the hands of consumers.

A broker tells at once what waits and who consumes. What consumers hold it tells operators only: of a classic queue at
once too, if it is not asked for statistics, which are seconds old. Of a quorum queue it is always seconds old, but such
a one counts whoever holds a message as a consumer, even one that has taken its leave.
"""

import logging
import re
from collections.abc import Mapping
from urllib.parse import urlencode

import msgspec

from goatherd.adapters.rabbitmq.asking import Asking
from goatherd.adapters.rabbitmq.management import Management, NotThere, path_of
from goatherd.errors import SettingsError, Unavailable
from goatherd.model.difference import Crowd

log = logging.getLogger("goatherd.rabbitmq")

#: Asks for counts, and for no statistics.
_COUNTS = {"disable_stats": "true", "enable_queue_totals": "true"}


class Totals(msgspec.Struct):
    """What operators are told of a queue."""

    name: str
    type: str = "classic"
    #: Missing while the queue's node is away.
    messages: int | None = None
    messages_unacknowledged: int | None = None


class _Page(msgspec.Struct):
    items: list[Totals]


class Counts:
    """Of one virtual host."""

    def __init__(self, asking: Asking, management: Management | None, virtual_host: str) -> None:
        self._asking = asking
        self._management = management
        self._virtual_host = virtual_host

    async def waiting(self, queue: str) -> int:
        """How many wait in a queue; none are in one that is not there. Raises Unavailable."""
        return (await self._asking.counts(queue) or (0, 0))[0]

    async def consumers(self, queue: str) -> int:
        """How many consume from a queue; raises Unavailable."""
        return (await self._asking.counts(queue) or (0, 0))[1]

    async def look(self, queue: str) -> tuple[Crowd, str | None] | None:
        """What is in a queue, and its type where that is known; None if it is not there. Raises Unavailable."""
        counts = await self._asking.counts(queue)
        if counts is None:
            return None
        waiting, consumers = counts
        # Asked second: if nobody consumed before, nobody has taken a message since.
        told = await self._totals(queue)
        if told is None:
            return Crowd(messages=waiting, consumers=consumers), None
        held = 0 if told.type == "quorum" and not consumers else told.messages_unacknowledged
        return Crowd(messages=waiting + (held or 0), consumers=consumers, held=held), told.type

    async def _totals(self, queue: str) -> Totals | None:
        if self._management is None:
            return None
        only = {"page": "1", "page_size": "100", "use_regex": "true", "name": f"^{re.escape(queue)}$"}
        try:
            told = await self._management.ask(_path(self._virtual_host, only))
            page = msgspec.convert(told, _Page)
        except (NotThere, SettingsError, Unavailable, msgspec.ValidationError) as error:
            # An operator's view is more than is needed; without it what consumers hold stays unknown.
            log.debug("What consumers hold of the queue %r is not known: %s", queue, error)
            return None
        return next((each for each in page.items if each.name == queue), None)


async def all_totals(management: Management, virtual_host: str) -> Mapping[str, Totals]:
    """Of all queues; none of a broker that knows no such question. Raises Unavailable and SettingsError."""
    try:
        told = await management.ask(_path(virtual_host, {}))
        return {each.name: each for each in msgspec.convert(told, list[Totals])}
    except (NotThere, msgspec.ValidationError) as error:
        log.debug("The queues of %r are not counted: %s", virtual_host, error)
        return {}


def _path(virtual_host: str, more: Mapping[str, str]) -> str:
    return f"{path_of('queues', virtual_host)}?{urlencode({**_COUNTS, **more})}"
