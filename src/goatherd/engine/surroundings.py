"""What all who follow jobs in a process share: the store, the time, and who owns what runs beside them."""

import logging
from asyncio import Task
from collections.abc import Callable, Coroutine
from typing import Any

from goatherd.errors import Unavailable
from goatherd.model.event import Position
from goatherd.model.reading import Reading
from goatherd.ports.clock import Clock
from goatherd.ports.events import Events

log = logging.getLogger("goatherd.subscriptions")


class Surroundings:
    """The store as followers see it: when it goes away and comes back is said once, not by each of them."""

    def __init__(
        self, events: Events, clock: Clock, most: int, begin: Callable[[Coroutine[Any, Any, Any], str], "Task[Any]"]
    ) -> None:
        self.events = events
        self.clock = clock
        #: Events of each job that are kept for all who follow it.
        self.most = most
        #: Runs something under a name, and owns it.
        self.begin = begin
        self.away = False

    async def read(self, job_id: str, after: Position | None, limit: int) -> Reading | None:
        """See `Events.read`."""
        try:
            reading = await self.events.read(job_id, after, limit)
        except Unavailable as error:
            if not self.away:
                log.warning("Events cannot be read for now; whoever follows a job waits: %s", error)
            self.away = True
            raise
        if self.away:
            log.warning("Events can be read again")
        self.away = False
        return reading
