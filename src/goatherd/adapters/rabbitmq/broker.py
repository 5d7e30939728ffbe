"""The broker port on RabbitMQ."""

import time
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, cast

import msgspec

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.consumer import Care, Handle, Subscription
from goatherd.adapters.rabbitmq.delays import hold_for
from goatherd.adapters.rabbitmq.failures import LinkFailed, in_our_words
from goatherd.adapters.rabbitmq.graves import expired, letter_headers
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.messages import DUE, outgoing
from goatherd.adapters.rabbitmq.notebook import Notebook
from goatherd.adapters.rabbitmq.publisher import Outgoing, Publisher
from goatherd.adapters.rabbitmq.records import PauseFollower, RabbitRecords
from goatherd.adapters.rabbitmq.topology import Declare, QueueType
from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.model.topology import Queue, QueueState
from goatherd.ports.broker import Deliver, LinkState

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the settings say about the broker."""

    app: str
    declare: Declare = "create"
    queue_type: QueueType = "quorum"
    connections: Literal["split", "shared"] = "split"
    publish_deadline: float = 10.0


class RabbitBroker:
    """Satisfies `Broker` and `QueueOperations`."""

    def __init__(self, address: Address, wishes: Wishes) -> None:
        self._address = address
        self.link = Link(address, f"{wishes.app} publish")
        shared = wishes.connections == "shared"
        self._consuming = self.link if shared else Link(address, f"{wishes.app} consume")
        self.publisher = Publisher(self.link, wishes.publish_deadline)
        self.layout = Layout(self.link, wishes.app, wishes.declare, wishes.queue_type)
        self._notebook = Notebook(address, wishes.app)
        self.records = RabbitRecords(address, self.link, self.layout)
        self._pauses = PauseFollower(self.records)
        self._subscriptions: list[Subscription] = []

    @property
    def state(self) -> LinkState:
        states = (self.link.state, self._consuming.state)
        return next((state for state in ("down", "connecting", "blocked") if state in states), "up")

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self.link.open()
        if self._consuming is not self.link:
            await self._consuming.open()

    async def declare(self, queues: Iterable[Queue]) -> None:
        await self._in_our_words(self.layout.declare(list(queues)))

    async def publish(self, messages: Sequence[Message]) -> None:
        now = time.time()
        ready = [await self._outgoing(message, now) for message in messages]
        if ready:
            await self.publisher.publish(ready)

    async def consume(self, queue: str, prefetch: int, deliver: Deliver) -> Subscription:
        await self._in_our_words(self.layout.must_exist(queue))
        self._notebook.open()
        care = Care(
            put_aside=self._not_to_be_delivered,
            deaths=self._notebook.deaths,
            announcing_exchange=self.layout.dead_exchange,
        )
        subscription = Subscription(self._consuming, queue, prefetch, deliver, care)
        self._subscriptions.append(subscription)
        await self._in_our_words(self._pauses.add(queue, subscription))
        return subscription

    def begin(self, delivery: Delivery) -> None:
        _handle(delivery).slot = self._notebook.begin(delivery.message.id)

    def end(self, delivery: Delivery) -> None:
        self._notebook.end(_handle(delivery).slot)

    def ack(self, delivery: Delivery) -> None:
        if delivery.deaths:
            self._notebook.forget(delivery.message.id)
        self._settle(delivery)

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            handle = _handle(delivery)
            handle.subscription.hand_back(handle)

    async def replace(self, delivery: Delivery, message: Message) -> None:
        await self.publish([message])
        self._settle(delivery)

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        message = msgspec.structs.replace(delivery.message, expires=None)
        exchange, key = self.layout.grave_of(message.queue)
        headers = letter_headers(burial, message.queue, delivery.accepted)
        await self.publisher.publish([outgoing(message, exchange, key, time.time(), headers)])
        self.ack(delivery)

    async def queues(self) -> Sequence[QueueState]:
        return await self._in_our_words(self.layout.states())

    async def purge(self, queue: str) -> int:
        return await self._in_our_words(self.layout.purge(queue))

    async def close(self) -> None:
        await self._pauses.close()
        for subscription in self._subscriptions:
            await subscription.close()
        self._subscriptions.clear()
        self._notebook.close()
        await self.link.close()
        await self._consuming.close()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        await self._pauses.close()
        self._notebook.let_go()
        for link in {self.link, self._consuming}:
            await link.abort()

    async def _outgoing(self, message: Message, now: float) -> Outgoing:
        if message.due is None or message.due <= now:
            exchange, key = self.layout.way_to(message.queue)
            return outgoing(message, exchange, key, now, {})
        # One that expires before it is due waits only until then, to be found out.
        until = message.due if message.expires is None else min(message.due, message.expires)
        return await self._held(message, until, now, held_before=False)

    async def _held(self, message: Message, due: float, now: float, *, held_before: bool) -> Outgoing:
        """On its way to the hold queue where it waits, or waits first."""
        step = hold_for((due - now) * 1000, held_before=held_before)
        exchange, key = await self.layout.way_to_hold(step, message.queue)
        return outgoing(message, exchange, key, now, {DUE: int(due * 1000) + 1}, expires_itself=False)

    def _settle(self, delivery: Delivery) -> None:
        handle = _handle(delivery)
        handle.subscription.ack(handle)

    async def _not_to_be_delivered(self, delivery: Delivery, due: float | None) -> None:
        """A message that came out of its hold queue a little early waits on; one that has expired is a dead letter."""
        if due is None:
            await self.bury(delivery, expired(delivery.message, time.time()))
            return
        held = await self._held(delivery.message, due, time.time(), held_before=True)
        await self.publisher.publish([held])
        self._settle(delivery)

    async def _in_our_words(self, doing: Awaitable[Result]) -> Result:
        try:
            return await doing
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error


def _handle(delivery: Delivery) -> Handle:
    return cast(Handle, delivery.tag)
