"""Messages that found no queue or no exchange: sent again as long as that is only being replaced."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from goatherd.adapters.rabbitmq.lookout import Lookout
from goatherd.adapters.rabbitmq.names import is_one_process_own
from goatherd.adapters.rabbitmq.parcels import Batch, Outcome, Outgoing
from goatherd.adapters.rabbitmq.rejections import no_queue
from goatherd.adapters.rabbitmq.replacing import FIRST_PAUSE, LONGEST_PAUSE, Kind, Replacing

#: Looks in a row, each of which found nothing but was answered too late to count, after which a message is sent all the
#: same: a broker that is as slow would else get none at all.
MOST_LOOKS = 3


class Comebacks:
    """Of one publish, from its first try to its last."""

    def __init__(self, replacing: Replacing, lookout: Lookout, is_paused: Callable[[str], Awaitable[bool]]) -> None:
        self._replacing = replacing
        self._lookout = lookout
        self._is_paused = is_paused
        #: What is waited for, in words; empty if nothing is.
        self.why = ""
        #: Places where nothing was being replaced when a message had come back from there.
        self._in_vain: set[tuple[str, str]] = set()
        self._pause = FIRST_PAUSE

    async def hold_back(self, messages: Sequence[Outgoing]) -> None:
        """Wait for queues that would lose what is sent, and for exchanges that would end the channel for all on it."""
        looks = 0
        while looks < MOST_LOOKS and (queues := self._lookout.stale(messages)):
            looks += 1
            for queue in await self._lookout.replaced(queues):
                looks = 0
                self.why = f"the queue {queue!r} is being replaced, which has not ended yet"
                await self._lookout.until_clear(queue)
        self.why = ""
        for exchange in {message.exchange for message in messages} & self._replacing.away:
            await self._until_back("exchange", exchange)

    async def wait(self, batch: Batch) -> None:
        """Return when it is worth to send those again that came back; raises NoQueue if it is not."""
        came_back = {
            (message.exchange, message.routing_key, outcome): message
            for message, outcome in zip(batch.messages, batch.outcomes, strict=True)
            if outcome in (Outcome.RETURNED, Outcome.NO_EXCHANGE)
        }
        for (*_, outcome), message in came_back.items():
            if not await self._may_come_back(message, outcome):
                raise no_queue(batch, message, outcome)

    async def _may_come_back(self, message: Outgoing, outcome: Outcome) -> bool:
        if outcome is Outcome.NO_EXCHANGE:
            # Not just tried, for each vain try ends the channel for all on it.
            there = await self._until_back("exchange", message.exchange)
            return there or (await self._once_more(message) and await self._until_back("exchange", message.exchange))
        if message.exchange:
            # The ways from it are made after the exchange itself, and nobody can be asked for them.
            if await self._replacing.has_stand_in("exchange", message.exchange):
                return await self._a_moment(message.exchange)
        elif is_one_process_own(message.routing_key):
            # Nobody replaces it: whoever asked is gone, and with it where the answer should go.
            return False
        elif await self._is_paused(message.routing_key):
            return await self._until_back("queue", message.routing_key)
        return await self._once_more(message)

    async def _until_back(self, kind: Kind, name: str) -> bool:
        self.why = f"the {kind} {name!r} is being replaced and is not back yet"
        is_there = await self._replacing.until_back(kind, name)
        self.why = ""
        return is_there

    async def _a_moment(self, exchange: str) -> bool:
        self.why = f"the exchange {exchange!r} is being replaced and does not lead to the queue yet"
        await asyncio.sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        return True

    async def _once_more(self, message: Outgoing) -> bool:
        """Once for each place: the replacement may have ended after the message came back, and before we looked.

        Or somebody took away the way to a queue of ours.
        """
        place = (message.exchange, message.routing_key)
        if place in self._in_vain:
            return False
        self._in_vain.add(place)
        await self._replacing.mend(*place)
        return True
