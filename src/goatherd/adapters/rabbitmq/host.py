"""One channel and the consumers on it: one that needs a channel of its own, or many that share it."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from pamqp import commands

from goatherd.adapters.rabbitmq.acks import Acks
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.declarations import consume
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed, LinkLost
from goatherd.adapters.rabbitmq.wire import DELIVER, Content, nack_frame, read_consumer, read_deliver

#: Class and method of what a consumer is started with, as the broker names it when it refuses.
CONSUME = (60, 20)
CANCELLED = "the broker cancelled it; was the queue deleted?"

log = logging.getLogger("goatherd.rabbitmq")


class Guest(Protocol):
    """A consumer that has its place on a channel."""

    @property
    def queue(self) -> str:
        """What it consumes."""

    def take(self, host: "Host", contents: list[Content]) -> None:
        """Messages have come for it."""

    def cancelled(self, why: str) -> None:
        """The broker has ended it, and it alone."""

    def lost(self, host: "Host", error: LinkFailed, *, guilty: bool) -> None:
        """The channel is gone; `guilty` if that is because of it."""


class Host:
    """Alive as long as its channel is."""

    def __init__(self, channel: Channel, room: int, gone: Callable[["Host"], None]) -> None:
        self.channel = channel
        self.acks = Acks(channel)
        self._room = room
        self._gone = gone
        #: Those who have a place here, whether they consume already or not.
        self._guests: dict[Guest, None] = {}
        self._by_tag: dict[bytes, Guest] = {}
        self._tags = 0
        self._prefetch: int | None = None
        self._starting: Guest | None = None
        self._closing = False
        #: A consumer gets the prefetch that was last asked for, so both are asked for together.
        self._ordering = asyncio.Lock()
        channel.received = self._received
        channel.on_cancel = self._cancelled
        channel.on_failure = self._failed

    @property
    def is_shared(self) -> bool:
        """Whether others may be here too."""
        return self._room > 1

    @property
    def has_room(self) -> bool:
        """Whether one more may come."""
        return self.channel.failed is None and not self._closing and len(self._guests) < self._room

    @property
    def is_idle(self) -> bool:
        """Whether nobody needs it any more."""
        return not self._guests and not self.acks.holds_any

    def seat(self, guest: Guest) -> None:
        """Keep a place for it."""
        self._guests[guest] = None

    def leave(self, guest: Guest) -> None:
        """It comes here no more; what was delivered to it can still be settled."""
        self._guests.pop(guest, None)

    async def consume(self, guest: Guest, queue: str, prefetch: int) -> str:
        """Start a consumer and give its tag; raises LinkFailed. If the channel is gone, `lost` was called for all."""
        async with self._ordering:
            if self.channel.failed is not None:
                raise LinkLost("its channel was closed meanwhile")
            if self._prefetch != prefetch:
                await self.channel.ask(commands.Basic.Qos(0, prefetch, False))
                self._prefetch = prefetch
            self._tags += 1
            tag = str(self._tags)
            # Its first messages may come in the same packet as the answer.
            self._by_tag[tag.encode()] = self._starting = guest
            try:
                await self.channel.ask(consume(queue, tag))
            finally:
                self._starting = None
            return tag

    def knows(self, tag: str) -> bool:
        """Whether a consumer that was started is still there."""
        return tag.encode() in self._by_tag

    def forget(self, tag: str) -> None:
        """A consumer is no more, as we found out ourselves."""
        self._by_tag.pop(tag.encode(), None)

    async def cancel(self, tag: str) -> None:
        """End a consumer; raises LinkFailed."""
        await self.channel.ask(commands.Basic.Cancel(tag))
        self._by_tag.pop(tag.encode(), None)

    async def close(self) -> None:
        """Send the last acks and give back the channel, with whatever is unsettled."""
        self._closing = True
        self._guests.clear()
        if self.channel.failed is not None:
            return
        self.acks.flush()
        try:
            await self.channel.close()
        except LinkFailed as error:
            log.debug("A channel was gone before it could be closed: %s", error)

    def _received(self, contents: list[Content]) -> None:
        messages = [content for content in contents if content.method == DELIVER]
        if len(self._by_tag) == 1 and not self.is_shared:
            (guest,) = self._by_tag.values()
            guest.take(self, messages)
            return
        batches: dict[Guest, list[Content]] = {}
        for content in messages:
            tag = read_deliver(content.arguments).tag
            receiver = self._by_tag.get(read_consumer(content.arguments))
            if receiver is None:
                self._give_back(tag)
                continue
            # Held in the order in which they came, whoever gets them first: an ack for many means all before it.
            self.acks.hold(tag, receiver)
            batches.setdefault(receiver, []).append(content)
        for receiver, batch in batches.items():
            receiver.take(self, batch)

    def _give_back(self, tag: int) -> None:
        """Nobody here asked for it: let others have it, for unsettled it would stay with us for ever."""
        log.warning("A message came for a consumer that has ended; it goes back to its queue")
        self.channel.send(nack_frame(self.channel.number, tag, requeue=True))

    def _cancelled(self, tag: str) -> None:
        guest = self._by_tag.pop(tag.encode(), None)
        if guest is not None:
            guest.cancelled(CANCELLED)

    def _failed(self, error: LinkFailed) -> None:
        self._gone(self)
        guests, self._guests = self._guests, {}
        self._by_tag.clear()
        culprit = self._culprit(error, guests)
        if len(guests) > 1 and isinstance(error, ChannelClosed):
            told = f"because of queue {culprit.queue!r} " if culprit is not None else ""
            log.warning(
                "%d consumers ended with their channel %s(%s); they are started again", len(guests), told, error
            )
        for guest in guests:
            guest.lost(self, error, guilty=guest is culprit)

    def _culprit(self, error: LinkFailed, guests: Mapping[Guest, None]) -> Guest | None:
        """Because of whom the broker closed the channel; None if nobody can be blamed."""
        if not isinstance(error, ChannelClosed):
            return None
        if not self.is_shared:
            return next(iter(guests), None)
        if error.method == CONSUME:
            return self._starting
        owner = self.acks.oldest_owner if error.took_back else None
        return next((guest for guest in guests if guest is owner), None)
