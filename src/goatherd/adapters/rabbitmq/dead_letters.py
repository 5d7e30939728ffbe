"""The store of dead letters on RabbitMQ: the dead-letter queue itself.

To look at letters, they are taken without an ack and put back by closing the channel; meanwhile others do not see them.
The queue has no delivery limit, for each look counts as a delivery.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence

from pamqp import commands

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.failures import LinkFailed, in_our_words
from goatherd.adapters.rabbitmq.graves import read_letter
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.messages import outgoing
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.adapters.rabbitmq.wire import DELIVER, Content, ack_frame, read_deliver
from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import LetterFilter, StoredLetter
from goatherd.model.message import Message

#: Seconds without another letter after which a look has seen what it can see.
SILENCE = 3.0


class RabbitDeadLetters:
    """Satisfies `DeadLetters`."""

    def __init__(self, address: Address, link: Link, publisher: Publisher, layout: Layout) -> None:
        self._address = address
        self._link = link
        self._publisher = publisher
        self._layout = layout

    async def find(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[StoredLetter]:
        found: list[StoredLetter] = []
        if limit == 0:
            return
        look = _Look(self._link, self._layout.dead_queue)
        try:
            async for _, letter in look.letters():
                if wanted.matches(letter):
                    found.append(letter)
                    if limit is not None and len(found) >= limit:
                        break
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error
        finally:
            await look.close()
        for letter in found:
            yield letter

    async def get(self, letter_id: str) -> StoredLetter:
        look = _Look(self._link, self._layout.dead_queue)
        try:
            async for _, letter in look.letters():
                if letter.id == letter_id:
                    return letter
        finally:
            await look.close()
        raise UnknownJob.letter(letter_id)

    async def replay(self, pairs: Sequence[tuple[StoredLetter, Message]]) -> int:
        messages = {letter.id: message for letter, message in pairs}
        replayed = 0
        look = _Look(self._link, self._layout.dead_queue)
        try:
            async for tag, letter in look.letters():
                message = messages.pop(letter.id, None)
                if message is not None:
                    exchange, key = self._layout.way_to(message.queue)
                    # The letter goes only when its message is safe: a crash between the two leaves both, never none.
                    await self._publisher.publish([outgoing(message, exchange, key, time.time(), {})])
                    look.remove(tag)
                    replayed += 1
                if not messages:
                    break
        finally:
            await look.close()
        return replayed

    async def discard(self, letters: Sequence[StoredLetter]) -> int:
        unwanted = {letter.id for letter in letters}
        discarded = 0
        look = _Look(self._link, self._layout.dead_queue)
        try:
            async for tag, letter in look.letters():
                if letter.id in unwanted:
                    unwanted.remove(letter.id)
                    look.remove(tag)
                    discarded += 1
                if not unwanted:
                    break
        finally:
            await look.close()
        return discarded


class _Look:
    """One walk through the dead-letter queue from its oldest letter."""

    def __init__(self, link: Link, queue: str) -> None:
        self._link = link
        self._queue = queue
        self._channel: Channel | None = None
        self._arrived: asyncio.Queue[Content] = asyncio.Queue()

    async def letters(self) -> AsyncIterator[tuple[int, StoredLetter]]:
        """Each letter with its tag."""
        connection = await self._link.connection()
        counts = await Declarer(connection).exists(self._queue)
        left = counts[0] if counts is not None else 0
        if not left:
            return
        self._channel = await connection.open_channel()
        self._channel.received = self._receive
        await self._channel.ask(commands.Basic.Consume(0, self._queue))
        while left:
            try:
                content = await asyncio.wait_for(self._arrived.get(), SILENCE)
            except TimeoutError:
                return
            left -= 1
            read = properties.read(content.properties)
            told = read_deliver(content.arguments)
            yield told.tag, read_letter(read, content.body, told.routing_key, time.time())

    def remove(self, tag: int) -> None:
        """Let a letter go for good."""
        if self._channel is not None:
            self._channel.send(ack_frame(self._channel.number, tag))

    async def close(self) -> None:
        """Put back what was not removed."""
        if self._channel is not None and self._channel.failed is None:
            await self._channel.close()

    def _receive(self, contents: list[Content]) -> None:
        for content in contents:
            if content.method == DELIVER:
                self._arrived.put_nowait(content)
