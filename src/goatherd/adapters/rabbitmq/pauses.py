"""Stop and start consumers as operators wish."""

import asyncio
import logging
from collections import deque

from goatherd.adapters.rabbitmq.failures import LinkFailed
from goatherd.adapters.rabbitmq.records import RabbitRecords
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.errors import Unavailable

#: Seconds between two looks at what is paused.
LOOK_EVERY = 1.0
#: Queues that are looked at each time, of those of which there may be thousands.
MOST_AT_ONCE = 100
#: Seconds that the start of one of those waits to be told whether its queue is paused.
PATIENCE = 2.0

log = logging.getLogger("goatherd.rabbitmq")


class PauseFollower:
    """For the subscriptions of one process."""

    def __init__(self, records: RabbitRecords) -> None:
        self._records = records
        self._often: list[Subscription] = []
        #: Whose turn it is next, first.
        self._in_turn: deque[Subscription] = deque()
        self._task: asyncio.Task[None] | None = None

    async def add(self, subscription: Subscription, *, one_of_many: bool = False) -> None:
        """Follow for one more; started here unless its queue is paused."""
        (self._in_turn if one_of_many else self._often).append(subscription)
        if await self._is_paused(subscription.queue, PATIENCE if one_of_many else None):
            await subscription.pause()
        else:
            await subscription.start()
        if self._task is None:
            self._task = asyncio.create_task(self._follow(), name="goatherd pauses")

    async def close(self) -> None:
        """Follow no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def _is_paused(self, queue: str, deadline: float | None) -> bool:
        try:
            return queue in await self._records.paused_among([queue], deadline)
        except Unavailable as error:
            # Above all when the broker's memory is short and it takes no questions, jobs must be taken from it.
            log.warning("Whether queue %r is paused cannot be seen now, so it is taken from: %s", queue, error)
            return False

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            try:
                await self._look()
            except (LinkFailed, Unavailable, TimeoutError) as error:
                log.debug("What is paused cannot be seen now: %s", error)

    async def _look(self) -> None:
        self._often = [each for each in self._often if not each.is_stopped]
        subscriptions = [*self._often, *self._next_in_turn()]
        paused = await self._records.paused_among({each.queue for each in subscriptions})
        for subscription in subscriptions:
            if subscription.queue in paused:
                await subscription.pause()
            else:
                await subscription.resume()

    def _next_in_turn(self) -> list[Subscription]:
        """Some of the many, others each time; those that have ended are let go."""
        taken = [self._in_turn.popleft() for _ in range(min(MOST_AT_ONCE, len(self._in_turn)))]
        living = [each for each in taken if not each.is_stopped]
        self._in_turn.extend(living)
        return living
