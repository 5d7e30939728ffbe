"""The store of dead letters on RabbitMQ: the dead-letter queue itself, which therefore has no delivery limit."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.announced import Announced
from goatherd.adapters.rabbitmq.failures import LinkFailed, in_our_words
from goatherd.adapters.rabbitmq.graves import kept_headers
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.look import Look
from goatherd.adapters.rabbitmq.messages import outgoing
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.adapters.rabbitmq.replacing import Replacing
from goatherd.adapters.rabbitmq.topology import Declarer
from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import LetterFilter, StoredLetter
from goatherd.model.message import Message


class RabbitDeadLetters:
    """Satisfies `DeadLetters`.

    Letters that the broker made of strangers' messages may have the same id; then each counts for itself.
    """

    def __init__(
        self,
        address: Address,
        link: Link,
        publisher: Publisher,
        layout: Layout,
        announced: Announced,
        replacing: Replacing,
    ) -> None:
        self._address = address
        self._link = link
        self._publisher = publisher
        self._layout = layout
        self._announced = announced
        self._replacing = replacing
        self._looking = asyncio.Lock()

    async def find(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[StoredLetter]:
        found: list[StoredLetter] = []
        if limit == 0:
            return
        # Where every letter is wanted, those beyond the limit need not come.
        async with self._look(limit if wanted == LetterFilter() else None) as look:
            async for _, letter in look:
                if wanted.matches(letter):
                    found.append(letter)
                    if limit is not None and len(found) >= limit:
                        break
        for letter in found:
            yield letter

    async def count(self) -> int:
        try:
            counts = await Declarer(await self._link.connection()).exists(self._layout.dead_queue)
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error
        return 0 if counts is None else counts[0]

    async def get(self, letter_id: str) -> StoredLetter:
        known = self._announced.get(letter_id)
        if known is not None:
            return known
        async with self._look() as look:
            async for _, letter in look:
                if letter.id == letter_id:
                    return letter
        raise UnknownJob.letter(letter_id)

    async def replay(self, pairs: Sequence[tuple[StoredLetter, Message]]) -> int:
        messages: dict[str, list[Message]] = defaultdict(list)
        for letter, message in pairs:
            messages[letter.id].append(message)
        left = len(pairs)
        async with self._look() as look:
            async for tag, letter in look:
                if letter.id in messages:
                    # The letter goes only when its message is safe: a crash between the two leaves both, never none.
                    await self._put_back(messages[letter.id].pop(0))
                    look.remove(tag)
                    self._announced.forget(letter.id)
                    if not messages[letter.id]:
                        del messages[letter.id]
                    left -= 1
                if not messages and not look.copies_may_follow:
                    break
        return len(pairs) - left

    async def discard(self, letters: Sequence[StoredLetter]) -> int:
        unwanted = Counter(letter.id for letter in letters)
        async with self._look() as look:
            async for tag, letter in look:
                if unwanted[letter.id]:
                    unwanted[letter.id] -= 1
                    look.remove(tag)
                    self._announced.forget(letter.id)
                if not unwanted.total() and not look.copies_may_follow:
                    break
        return len(letters) - unwanted.total()

    async def keep(self, letters: Sequence[StoredLetter]) -> None:
        if letters:
            graves = [self._layout.ways.grave_of(letter.original.queue) for letter in letters]
            kept = [self._kept(letter, *grave) for letter, grave in zip(letters, graves, strict=True)]
            await self._publisher.publish(kept)

    async def _renew(self, letters: Sequence[StoredLetter]) -> None:
        """Straight into the queue: nobody is told of a letter once more."""
        await self._publisher.publish([self._kept(letter, "", self._layout.dead_queue) for letter in letters])

    def _kept(self, letter: StoredLetter, exchange: str, key: str) -> Outgoing:
        # Whoever waited for it has been told; and a dead letter does not expire.
        message = msgspec.structs.replace(letter.original, expires=None, reply_to="", correlation_id="")
        return outgoing(message, exchange, key, time.time(), kept_headers(letter))

    async def _put_back(self, message: Message) -> None:
        exchange, key = self._layout.ways.way_to(message.queue)
        await self._publisher.publish([outgoing(message, exchange, key, time.time(), {})])

    async def _is_replaced(self) -> bool:
        """Whether the letters are on their way from one queue to another; a broker that is blocked is not asked."""
        queue = self._layout.dead_queue
        if self._publisher.blocked is not None or not await self._publisher.is_paused(queue):
            return False
        return await self._replacing.has_stand_in("queue", queue)

    @asynccontextmanager
    async def _look(self, most: int | None = None) -> AsyncIterator[Look]:
        async with self._looking:
            look = Look(self._link, self._layout.dead_queue, self._is_replaced, self._renew, most)
            try:
                yield look
            except LinkFailed as error:
                raise in_our_words(error, self._address) from error
            finally:
                await look.close()
