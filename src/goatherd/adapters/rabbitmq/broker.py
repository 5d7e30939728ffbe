"""The broker port on RabbitMQ."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar, cast

import msgspec

from goatherd.adapters.rabbitmq.address import Address
from goatherd.adapters.rabbitmq.announced import Announced
from goatherd.adapters.rabbitmq.call_offs import CallOffs, Herald
from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.dead_letters import RabbitDeadLetters
from goatherd.adapters.rabbitmq.failures import LinkFailed, LinkLost, in_our_words
from goatherd.adapters.rabbitmq.graves import announcement, expired, letter_headers, queue_deleted, read_letter
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.hosting import Hosting
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.messages import outgoing
from goatherd.adapters.rabbitmq.notebook import Notebook, known_as
from goatherd.adapters.rabbitmq.outbound import Outbound
from goatherd.adapters.rabbitmq.pauses import PauseFollower
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.adapters.rabbitmq.records import RabbitRecords
from goatherd.adapters.rabbitmq.replaced_queues import with_replaced
from goatherd.adapters.rabbitmq.replacing import Replacing
from goatherd.adapters.rabbitmq.reply_queue import ReplyQueue
from goatherd.adapters.rabbitmq.returning import Returning
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.adapters.rabbitmq.wishes import Wishes
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery, Message
from goatherd.model.topology import HoldLimit, Queue, QueueState
from goatherd.ports.broker import Deliver, LinkState, NoQueue
from goatherd.ports.calls import Receipt

Result = TypeVar("Result")

#: Seconds within which a question about queues must be answered, also when the connection must be made first.
QUESTION_DEADLINE = 20.0


class RabbitBroker:
    """Satisfies `Broker`, `Courier` and `QueueOperations`."""

    def __init__(self, address: Address, wishes: Wishes) -> None:
        self._address = address
        self._app = wishes.app
        shared = wishes.connections == "shared"
        self.link = Link(address, wishes.app if shared else f"{wishes.app} publish")
        self._consuming = self.link if shared else Link(address, f"{wishes.app} consume")
        # A broker whose memory is short reads nothing from those who publish, so questions go with the consumers.
        self._replacing = Replacing(self._consuming)
        self.publisher = Publisher(self.link, wishes.publish_deadline, self._replacing)
        links = (self.link,) if shared else (self._consuming, self.link)
        self.layout = Layout(links, wishes.app, wishes.declare, wishes.queue_type, wishes.besides)
        self._replacing.on_lost_way = self.layout.mend
        self.layout.is_paused = self.publisher.is_paused
        self._notebook = Notebook(address, wishes.app)
        self._deadline = wishes.publish_deadline
        self._consumer_timeout = wishes.consumer_timeout
        self._outbound = Outbound(self.layout, self._replacing)
        self._returning = Returning()
        self._herald = Herald(self.publisher)
        self.records = RabbitRecords(address, self._consuming, self.publisher, self.layout, self._replacing)
        self._announced = Announced()
        self.dead_letters = RabbitDeadLetters(
            address, self._consuming, self.publisher, self.layout, self._announced, self._replacing
        )
        self._pauses = PauseFollower(self.records)
        self._cares: dict[tuple[frozenset[str], bool, bool], Care] = {}
        self._hosting = Hosting(self._consuming, self._further_link)

    @property
    def state(self) -> LinkState:
        states = {self.link.state, *(link.state for link in self._hosting.links)}
        return next((state for state in ("down", "connecting", "blocked") if state in states), "up")

    @property
    def asking(self) -> Link:
        """The connection for questions."""
        return self._consuming

    async def open(self) -> None:
        """Connect; raises Unavailable or SettingsError."""
        await self.link.open()
        if self._consuming is not self.link:
            try:
                await self._consuming.open()
            except BaseException:
                await self.link.close()
                raise

    async def declare(self, queues: Iterable[Queue]) -> None:
        wanted = list(queues)
        self.publisher.lookout.watch(self.layout.ways.by_name_alone(wanted))
        await self._in_our_words(self.layout.declare(wanted))

    def hold_limit(self, queue: str) -> HoldLimit | None:
        return self.layout.ways.hold_limit(queue, self._consumer_timeout, self._consuming.offers)

    async def publish(self, messages: Sequence[Message]) -> None:
        try:
            ready = self._outbound.ready(messages, time.time())
            if ready is None:
                ready = await self._in_our_words(self._outbound.make_ready(messages), self._deadline)
            if ready:
                await self.publisher.publish(ready)
        except Unavailable as error:
            error.jobs = error.jobs or tuple(message.id for message in messages)
            raise

    def post(self, message: Message, receipt: Receipt) -> None:
        self.publisher.post(self._outbound.straight(message, time.time()), receipt)

    def call_off(self, queue: str, job_id: str) -> None:
        self._herald.call_off(queue, job_id)

    async def hear_call_offs(self, queues: Sequence[str], called_off: Callable[[str], None]) -> CallOffs:
        hearing = CallOffs(self._hosting, queues, called_off)
        await self._in_our_words(hearing.start())
        return hearing

    async def listen_for_replies(self, deliver: Deliver, *, exclusive: bool) -> ReplyQueue:
        replies = ReplyQueue(self._hosting, self._app, deliver, exclusive=exclusive)
        try:
            await self._in_our_words(replies.begin())
        except BaseException:
            replies.abandon()
            raise
        return replies

    async def consume(self, queue: str, prefetch: int, deliver: Deliver, *, shared: bool = False) -> Subscription:
        if shared:
            self.layout.listen(queue)
        else:
            await self._in_our_words(self._must_exist(queue))
        self._notebook.open()
        care = self._care_of(queue, shared)
        subscription = Subscription(self._hosting, queue, prefetch, deliver, care, shared=shared)
        subscription.restartable = not self.layout.ways.takes_turns(queue)
        # The start of a shared one ends in time by itself, and goes on without us where it must.
        adding = self._pauses.add(subscription, one_of_many=shared)
        try:
            await (adding if shared else self._in_our_words(adding))
        except BaseException:
            # Nobody will ever stop what nobody was given, and it would come alive on its own.
            await self._hosting.see_through(subscription.stop())
            raise
        return subscription

    def is_lost(self, delivery: Delivery) -> bool:
        return _handle(delivery).channel.failed is not None

    def begin(self, delivery: Delivery) -> None:
        self._returning.begun(delivery)
        _handle(delivery).slot = self._notebook.begin(known_as(delivery.message))

    def end(self, delivery: Delivery) -> None:
        self._notebook.end(_handle(delivery).slot)

    def ack(self, delivery: Delivery) -> None:
        if delivery.deaths:
            self._notebook.forget(known_as(delivery.message))
        self._settle(delivery)

    async def hand_back(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            handle = _handle(delivery)
            self._returning.over(delivery)
            handle.hand_back()

    async def replace(self, delivery: Delivery, message: Message) -> None:
        if self.is_lost(delivery):
            # It comes again by itself; a second message would make two jobs of it.
            self._returning.over(delivery)
            return
        try:
            await self.publish([message])
        except NoQueue:
            if self.layout.is_listened(message.queue):
                # Whoever listens to it makes it again.
                raise
            # As one does that waits for its time while its queue is deleted.
            await self._inter(delivery, message, queue_deleted(message, time.time()))
            return
        self._settle(delivery)

    async def bury(self, delivery: Delivery, burial: Burial) -> None:
        if self.is_lost(delivery):
            self._returning.over(delivery)
            return
        await self._inter(delivery, delivery.message, burial)

    async def _inter(self, delivery: Delivery, message: Message, burial: Burial) -> None:
        exchange, key = self.layout.ways.grave_of(message.queue)
        headers = letter_headers(burial, message.queue, delivery.accepted)
        letter = msgspec.structs.replace(message, due=None, expires=None)
        await self.publisher.publish([outgoing(letter, exchange, key, time.time(), headers)])
        self.ack(delivery)

    async def queues(self, also: Sequence[str] = ()) -> Sequence[QueueState]:
        paused = await self.records.paused(also)
        states = await self._in_our_words(self.layout.states(paused, also))
        return await self._in_our_words(with_replaced(states, paused, self._replacing))

    async def purge(self, queue: str) -> int:
        return await self._in_our_words(self.layout.purge(queue))

    async def close(self) -> None:
        await self._pauses.close()
        await self._hosting.close()
        self._notebook.close()
        await self.publisher.close()
        await self.link.close()
        await self._consuming.close()

    async def vanish(self) -> None:
        """Be gone as after `kill -9`, for tests of what others do then."""
        await self._pauses.close()
        self._notebook.let_go()
        await self._hosting.vanish()
        await self.publisher.close()
        for link in {self.link, self._consuming}:
            await link.abort()

    async def _must_exist(self, queue: str) -> None:
        try:
            await self.layout.must_exist(queue)
        except Unavailable:
            # Whoever consumes a queue while it is replaced waits for it; so does one who begins then.
            if not await self._replacing.is_away(queue):
                raise

    def _further_link(self, number: int) -> Link:
        return Link(self._address, f"{self._app} consume {number}")

    def _care_of(self, queue: str, shared: bool) -> Care:
        """The same one for all consumers that need the same."""
        exchanges, hears_of_letters = self.layout.ways.announcing_exchanges(queue), self.layout.ways.is_told(queue)
        known = self._cares.get((exchanges, hears_of_letters, shared))
        if known is None:
            known = self._cares[exchanges, hears_of_letters, shared] = Care(
                put_aside=self._not_to_be_delivered,
                deaths=lambda message: self._notebook.deaths(known_as(message)),
                carried_on=self._returning.carried_on,
                announcing_exchanges=exchanges,
                hears_of_letters=hears_of_letters,
                announced=self._note_announced,
                is_replaced=self._replacing.is_away,
                prepare=self.layout.have if shared else self.layout.bind_again,
                released=self.layout.forget if shared else None,
            )
        return known

    def _note_announced(self, read: Properties, body: bytes, routing_key: str) -> bytes:
        """A copy of a dead letter has come: keep it for those who ask for it, and deliver its id."""
        letter = read_letter(read, body, routing_key, time.time())
        self._announced.add(letter)
        return announcement(letter.id)

    def _settle(self, delivery: Delivery) -> None:
        """What became of it is safe."""
        handle = _handle(delivery)
        if handle.channel.failed is None:
            self._returning.over(delivery)
            handle.ack()
        else:
            self._returning.settled_unheard(delivery)

    async def _not_to_be_delivered(self, delivery: Delivery, due: float | None) -> None:
        """A message that came out of its hold queue a little early waits on; one that has expired is a dead letter."""
        if due is None:
            await self.bury(delivery, expired(delivery.message, time.time()))
            return
        held = await self._in_our_words(self._outbound.held_on(delivery.message, due), self._deadline)
        await self.publisher.publish([held])
        self._settle(delivery)

    async def _in_our_words(self, doing: Awaitable[Result], deadline: float = QUESTION_DEADLINE) -> Result:
        try:
            async with asyncio.timeout(deadline):
                return await doing
        except LinkFailed as error:
            raise in_our_words(error, self._address) from error
        except TimeoutError as error:
            if self._replacing.away:
                raise Unavailable(self._replacing.in_words) from error
            failure = LinkLost(f"no answer within {deadline:g} s; last trouble: {self._consuming.last_failure}")
            raise in_our_words(failure, self._address) from error


def _handle(delivery: Delivery) -> Handle:
    return cast(Handle, delivery.tag)
