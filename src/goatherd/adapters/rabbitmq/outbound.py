"""The way of each message: straight to its queue or, if it is not due yet, through the hold queue where it waits."""

import asyncio
import time
from collections.abc import Sequence

from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.messages import DUE, outgoing
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.replacing import Replacing, Sight
from goatherd.errors import Unavailable
from goatherd.model.message import Message

#: Seconds to wait for the next connection when one was lost in the middle of a question.
PAUSE_AFTER_LOSS = 0.05


class Outbound:
    """Knows the way, and makes the hold queues that are missing on it."""

    def __init__(self, layout: Layout, replacing: Replacing) -> None:
        self._replacing = replacing
        self._ways = layout.ways
        self._holds = layout.holds

    def ready(self, messages: Sequence[Message], now: float) -> list[Outgoing] | None:
        """All of them on their way at this moment; None if a hold queue must be made first."""
        ready = []
        for message in messages:
            due = message.due
            way = self.straight(message, now) if due is None or due <= now else self._delayed(message, due, now)
            if way is None:
                return None
            ready.append(way)
        return ready

    async def make_ready(self, messages: Sequence[Message]) -> list[Outgoing]:
        """The same, with the hold queues that are missing made first; raises LinkFailed.

        They are all made before the first wait is measured: making one takes as long as a short delay.
        """
        while (ready := self.ready(messages, now := time.time())) is None:
            delayed = [message for message in messages if message.due is not None and message.due > now]
            for step in sorted({self._holds.step_for((_until(message, now) - now) * 1000) for message in delayed}):
                await self._make_hold(step)
        return ready

    async def held_on(self, message: Message, due: float) -> Outgoing:
        """For one that came out of a hold queue a little early; raises LinkFailed."""
        while True:
            now = time.time()
            step = self._holds.step_for((due - now) * 1000, held_before=True)
            if self._holds.has(step):
                return self._through(message, step, due, now)
            await self._make_hold(step)

    def straight(self, message: Message, now: float) -> Outgoing:
        """One that is due, on its way to its queue."""
        exchange, key = self._ways.way_to(message.queue)
        # An expired job is kept as a dead letter, an expired call is not: the broker may do what is right for each.
        expires_itself = message.expires is not None and self._ways.buries(message.queue) != bool(message.reply_to)
        return outgoing(message, exchange, key, now, {}, expires_itself=expires_itself)

    def _delayed(self, message: Message, due: float, now: float) -> Outgoing | None:
        until = _until(message, due)
        step = self._holds.step_for((until - now) * 1000)
        return self._through(message, step, until, now) if self._holds.has(step) else None

    def _through(self, message: Message, step: int, until: float, now: float) -> Outgoing:
        exchange, key = self._holds.way_through(step, message.queue)
        return outgoing(message, exchange, key, now, {DUE: int(until * 1000) + 1}, expires_itself=False)

    async def _make_hold(self, milliseconds: int) -> None:
        refused = False
        while True:
            try:
                return await self._holds.have(milliseconds)
            except (ChannelClosed, Unavailable):
                # Refused twice, for what was just being replaced may be back before it is looked at.
                if not await self._was_replaced(milliseconds) and refused:
                    raise
                refused = True
            except LinkFailed:
                await asyncio.sleep(PAUSE_AFTER_LOSS)

    async def _was_replaced(self, milliseconds: int) -> bool:
        """Whether a hold queue, or the way to it, was away; returns when it is back."""
        exchange, queue = self._holds.place(milliseconds)
        if await self._replacing.look("exchange", exchange) is Sight.AWAY:
            return await self._replacing.until_back("exchange", exchange)
        if await self._replacing.is_away(queue):
            return await self._replacing.until_back("queue", queue)
        return False


def _until(message: Message, otherwise: float) -> float:
    """When it comes out: one that expires before it is due waits only until then, to be found out."""
    due = otherwise if message.due is None else message.due
    return due if message.expires is None else min(due, message.expires)
