"""How cases send, receive and wait: always for an event, always with a deadline."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import pytest

from goatherd.model.dead_letter import LetterFilter, StoredLetter
from goatherd.model.ids import new_id
from goatherd.model.message import Delivery, Message
from goatherd.wiring import Ports

Found = TypeVar("Found")

#: Seconds within which a thing that must happen has happened, on a slow machine too.
PATIENCE = 15.0
#: Seconds of silence that show that a thing does not happen.
SILENCE = 0.15
#: Seconds between two looks at what can only be looked at.
LOOK_EVERY = 0.02


def message(queue: str, body: bytes = b"{}", **properties: Any) -> Message:
    """A message with an id of its own."""
    return Message(**{"id": new_id(), "queue": queue, "body": body, **properties})


class Receiver:
    """Takes deliveries and hands them to the case; give it to `consume`."""

    def __init__(self) -> None:
        self.received: list[Delivery] = []
        #: When each of them came.
        self.times: list[float] = []
        self._waiting: asyncio.Queue[Delivery] = asyncio.Queue()

    def __call__(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self.received.append(delivery)
            self.times.append(time.time())
            self._waiting.put_nowait(delivery)

    async def next(self) -> Delivery:
        """The next delivery that the case has not seen yet."""
        try:
            async with asyncio.timeout(PATIENCE):
                return await self._waiting.get()
        except TimeoutError:
            pytest.fail(f"nothing was delivered within {PATIENCE:g} s; so far {len(self.received)} were")

    async def take(self, count: int) -> list[Delivery]:
        """So many deliveries, in the order in which they come."""
        return [await self.next() for _ in range(count)]

    async def gets_nothing(self, seconds: float = SILENCE) -> None:
        """Fail if anything is delivered that the case has not seen yet."""
        try:
            async with asyncio.timeout(seconds):
                delivery = await self._waiting.get()
        except TimeoutError:
            return
        pytest.fail(f"{delivery.message} was delivered, but nothing should have been")


async def receiving(client: Ports, queue: str, prefetch: int = 100) -> Receiver:
    """A receiver that takes from a queue."""
    receiver = Receiver()
    await client.broker.consume(queue, prefetch, receiver)
    return receiver


async def all_letters(client: Ports, queue: str) -> list[StoredLetter]:
    """The dead letters of a queue as they stand."""
    return [letter async for letter in client.dead_letters.find(LetterFilter(queue=queue))]


async def letters_of(client: Ports, queue: str, count: int = 1) -> list[StoredLetter]:
    """The dead letters of a queue once there are so many."""

    async def enough() -> list[StoredLetter] | None:
        found = await all_letters(client, queue)
        return found if len(found) >= count else None

    return await eventually(enough, f"{count} dead letters in {queue}")


async def eventually(look: Callable[[], Awaitable[Found | None]], what: str) -> Found:
    """Look until there is something; fails when it takes too long."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    while loop.time() < deadline:
        found = await look()
        if found is not None:
            return found
        await asyncio.sleep(LOOK_EVERY)
    pytest.fail(f"waited {PATIENCE:g} s in vain for {what}")
