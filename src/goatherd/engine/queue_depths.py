"""Whether messages still wait in the queues, so that what they tell need not be told again."""

import asyncio
import logging
import math
from collections.abc import Mapping

from goatherd.errors import Unavailable
from goatherd.ports.broker import QueueOperations

#: Seconds for which what was seen is good enough.
FRESH_FOR = 2.0

log = logging.getLogger("goatherd.pipelines")


class QueueDepths:
    """Looks at the broker now and then."""

    def __init__(self, operations: QueueOperations) -> None:
        self._operations = operations
        self._seen: Mapping[str, int] = {}
        self._seen_at = -math.inf

    async def look(self) -> Mapping[str, int]:
        """Messages that wait, by queue; nothing where that cannot be seen."""
        now = asyncio.get_running_loop().time()
        if now - self._seen_at >= FRESH_FOR:
            try:
                self._seen = {state.name: state.ready for state in await self._operations.queues()}
            except Unavailable as error:
                log.debug("How many messages wait cannot be seen now: %s", error)
                self._seen = {}
            self._seen_at = now
        return self._seen
