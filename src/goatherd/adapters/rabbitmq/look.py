"""One walk through the dead-letter queue, from its oldest letter.

To look at letters they are taken without an ack, and put back by closing the channel. Meanwhile nobody else sees them,
and would think that there are none; so only one looks at a time, on all machines, and the others wait for their turn.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Self

from pamqp import commands

from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.declarations import consume
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed
from goatherd.adapters.rabbitmq.graves import own_id, read_letter, was_kept
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.properties import Properties, read_or_nothing
from goatherd.adapters.rabbitmq.replacing import GO_ON
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.adapters.rabbitmq.wire import DELIVER, Content, ack_frame, read_deliver
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import StoredLetter
from goatherd.model.message import count_of

#: Seconds without another letter after which a look has seen what it can see: somebody else emptied the queue.
SILENCE = 3.0
#: Seconds to wait for one's turn.
PATIENCE = 20.0
#: Seconds between two tries, at random up to this.
PAUSE = 0.1
#: Letters that AMQP can ask for at most.
MOST_HELD = 65_535
#: What a quorum queue counts, and from which count on a letter is renewed: by default it is dropped at 20. Our own
#: queue is none, but one that was left to the virtual host's default may be.
_DELIVERIES, RENEWED_AFTER = "x-delivery-count", 8

log = logging.getLogger("goatherd.rabbitmq")


class Look:
    """Iterate over `(tag, letter)`, `remove` those that are to go, and `close`, which puts back the rest.

    A letter that is there twice is met once, and its copy is let go.
    """

    def __init__(
        self,
        link: Link,
        queue: str,
        is_replaced: Callable[[], Awaitable[bool]],
        renew: Callable[[Sequence[StoredLetter]], Awaitable[None]],
        most: int | None = None,
    ) -> None:
        self._link = link
        self._queue = queue
        #: Whether the letters are just moved to another queue and back, which is waited for.
        self._is_replaced = is_replaced
        #: Puts copies of letters into the queue.
        self._renew = renew
        #: Letters that are wanted at most, so that the broker does not send all there are.
        self._most = most
        #: Those that are not taken out and put back much more often, by their tags.
        self._worn: dict[int, StoredLetter] = {}
        self._was_replaced = False
        self._channel: Channel | None = None
        self._arrived: asyncio.Queue[Content | LinkFailed] = asyncio.Queue()
        self._left: int | None = None
        #: The letters that one of us wrote, each with what its bytes are known by.
        self._met: dict[str, int] = {}
        #: Whether one of those met so far may have a copy further on.
        self.copies_may_follow = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> tuple[int, StoredLetter]:
        if self._left is None:
            self._left = await self._our_turn()
        while self._left:
            content = await self._next()
            self._left -= 1
            told = read_deliver(content.arguments)
            read = read_or_nothing(content.properties)
            if self._is_copy(read, content.body):
                # The first is in our hands: it goes back, or whoever looks lets it go.
                self.remove(told.tag)
                continue
            letter = read_letter(read, content.body, told.routing_key.decode(), time.time())
            if count_of(read.headers, _DELIVERIES) >= RENEWED_AFTER:
                self._worn[told.tag] = letter
            return told.tag, letter
        raise StopAsyncIteration

    def remove(self, tag: int) -> None:
        """Let a letter go for good."""
        self._worn.pop(tag, None)
        if self._channel is not None:
            self._channel.send(ack_frame(self._channel.number, tag))

    async def close(self) -> None:
        """Put back what was not removed."""
        if self._channel is None or self._channel.failed is not None:
            return
        try:
            if self._worn:
                await self._renew_worn()
            await self._channel.close()
        except LinkFailed as error:
            log.debug("The dead letters went back by themselves: %s", error)

    async def _renew_worn(self) -> None:
        """Put copies of letters into their places that were taken so often that the broker will drop them."""
        try:
            async with asyncio.timeout(PATIENCE):
                # They are all as old, also those that nobody wanted to see this time.
                async for _ in self:
                    continue
                worn = dict(self._worn)
                await self._renew(list(worn.values()))
                for tag in worn:
                    self.remove(tag)
        except (Unavailable, TimeoutError) as error:
            log.warning("Letters in %r that were looked at often are not renewed this time: %s", self._queue, error)

    async def _next(self) -> Content:
        try:
            content = await asyncio.wait_for(self._arrived.get(), SILENCE)
        except TimeoutError:
            raise StopAsyncIteration from None
        if isinstance(content, LinkFailed):
            raise content
        return content

    def _is_copy(self, read: Properties, body: bytes) -> bool:
        """Whether it was met before: what is sent again, because nobody knows whether it has arrived, may be twice."""
        letter = own_id(read)
        if letter is None:
            return False
        if letter in self._met:
            return self._met[letter] == hash(body)
        self._met[letter] = hash(body)
        self.copies_may_follow |= was_kept(read)
        return False

    async def _our_turn(self) -> int:
        """How many letters there are, all on their way to us; raises LinkFailed, or Unavailable after a while."""
        try:
            async with asyncio.timeout(PATIENCE):
                while True:
                    count = await self._try()
                    if count is not None:
                        return count
                    await asyncio.sleep(random.uniform(0, PAUSE))
        except TimeoutError as error:
            why = "somebody else is reading them" if self._link.state == "up" else str(self._link.last_failure)
            if self._was_replaced and self._link.state == "up":
                why = f"the queue is being replaced. {GO_ON.rstrip('.')}"
            raise Unavailable(
                f"The dead letters in {self._queue!r} cannot be seen within {PATIENCE:g} s: {why}. Try again."
            ) from error

    async def _try(self) -> int | None:
        """How many there are, or None while somebody else has them, or they are on their way."""
        self._was_replaced = await self._is_replaced()
        if self._was_replaced:
            return None
        connection = await self._link.connection()
        count, others = await Declarer(connection).exists(self._queue) or (0, 0)
        if others:
            return None
        if not count:
            return 0
        channel = await connection.open_channel()
        channel.received = self._receive
        channel.on_failure = self._arrived.put_nowait
        try:
            if self._most is not None and self._most <= MOST_HELD:
                await channel.ask(commands.Basic.Qos(0, self._most))
            await channel.ask(consume(self._queue, exclusive=True))
        except ChannelClosed as error:
            if error.code != 403 or "exclusive" not in error.text:
                raise
            # Somebody was faster between the question and now.
            self._arrived = asyncio.Queue()
            return None
        self._channel = channel
        return count

    def _receive(self, contents: list[Content]) -> None:
        for content in contents:
            if content.method == DELIVER:
                self._arrived.put_nowait(content)
