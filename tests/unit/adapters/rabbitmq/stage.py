"""Consumers on a scripted broker, of which a test can be one of many."""

import asyncio
from collections.abc import Sequence
from typing import cast

from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.hosting import Hosting
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.model.message import Delivery
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer


class Stage:
    """A connection, those who consume on it, and what they got."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.links = [Link(server.address(), "test")]
        self.hosting = Hosting(self.links[0], self._further)
        self.got: asyncio.Queue[Delivery] = asyncio.Queue()
        self.talk: Conversation
        #: Queues that the broker refuses to let anybody consume.
        self.refused: set[str] = set()

    def _further(self, number: int) -> Link:
        self.links.append(Link(self.server.address(), f"test {number}"))
        return self.links[-1]

    async def open(self) -> None:
        opening = asyncio.create_task(self.links[0].open())
        self.talk = await self.next_talk()
        await opening

    async def next_talk(self) -> Conversation:
        """The next connection, with this stage's rules."""
        talk = await self.server.next()
        consumed = talk.answers[commands.Basic.Consume]

        def answer(asked: commands.Basic.Consume) -> Frame:
            if asked.queue in self.refused:
                return commands.Channel.Close(403, f"ACCESS_REFUSED - queue '{asked.queue}'", 60, 20)
            return consumed(asked)

        talk.answers[commands.Basic.Consume] = answer
        await talk.shake_hands()
        return talk

    async def consume(self, queue: str, prefetch: int = 5, *, shared: bool = True) -> Subscription:
        care = Care(
            put_aside=_never,
            deaths=lambda _message: 0,
            carried_on=lambda _message, _handle: False,
            announcing_exchanges=frozenset(),
            announced=lambda _read, body, _key: body,
        )
        subscription = Subscription(self.hosting, queue, prefetch, self._deliver, care, shared=shared)
        await subscription.start()
        return subscription

    async def next(self) -> Delivery:
        return await asyncio.wait_for(self.got.get(), 5)

    async def close(self) -> None:
        await self.hosting.vanish()
        for link in self.links:
            await link.abort()

    def _deliver(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self.got.put_nowait(delivery)


async def _never(_delivery: Delivery, _due: float | None) -> None:
    raise AssertionError("nothing here is put aside")


def handle(delivery: Delivery) -> Handle:
    return cast(Handle, delivery.tag)


async def until(subscription: Subscription, condition: str) -> None:
    """Return when it stands so."""
    async with asyncio.timeout(5):
        while subscription.standing.condition != condition:
            await asyncio.sleep(0.005)
