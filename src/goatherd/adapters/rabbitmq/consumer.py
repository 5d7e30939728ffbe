"""A consumer of one queue that comes back after every loss of its channel, its connection or its queue."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from pamqp import commands

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.acks import Acks
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed, why_channel_closed
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.messages import DUE, incoming
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.wire import DELIVER, Content, DeliverArguments, nack_frame, read_deliver
from goatherd.model.message import Delivery, Message
from goatherd.ports.broker import Deliver

#: Seconds to wait before a consumer that the broker ended is started again: at first, and at most.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: Seconds that messages which are being put aside may take when the subscription closes.
LAST_WORDS = 2.0

log = logging.getLogger("goatherd.rabbitmq")


class Handle:
    """The adapter's handle of a delivery; of no effect once its channel is gone."""

    __slots__ = ("acks", "channel", "slot", "subscription", "tag")

    def __init__(self, subscription: "Subscription", acks: Acks, channel: Channel, tag: int) -> None:
        self.subscription = subscription
        self.acks = acks
        self.channel = channel
        self.tag = tag
        #: Where it is noted as running.
        self.slot: int | None = None

    def follow(self, other: "Handle") -> None:
        """Settle from now on what another handle stands for."""
        self.subscription, self.acks, self.channel, self.tag = other.subscription, other.acks, other.channel, other.tag


@dataclass(frozen=True, kw_only=True)
class Care:
    """What the broker does for a consumer's messages before they are delivered."""

    #: Take one away that is not due yet (with its time) or has expired.
    put_aside: Callable[[Delivery, float | None], Awaitable[None]]
    #: How many processes died while they ran the job of this message.
    deaths: Callable[[Message], int]
    #: Whether a message that comes again belongs to a job that still runs here, which now settles this one instead.
    carried_on: Callable[[Message, Handle], bool]
    #: What comes from here is a copy of a dead letter, of which only the id is delivered.
    announcing_exchanges: frozenset[str]
    #: The body to deliver instead of a copy of a dead letter.
    announced: Callable[[Properties, bytes, str], bytes]
    #: Make the queue on a new channel and tell its name, where it is this process's own.
    make_queue: Callable[[Channel], Awaitable[str]] | None = None

    @classmethod
    def of_own_queue(cls, make: Callable[[Channel], Awaitable[str]]) -> "Care":
        """For a queue of this process's own, from which everything is delivered as it is."""
        return cls(
            put_aside=_never,
            deaths=lambda _message: 0,
            carried_on=lambda _message, _handle: False,
            announcing_exchanges=frozenset(),
            announced=lambda _read, body, _key: body,
            make_queue=make,
        )


async def _never(_delivery: Delivery, _due: float | None) -> None:
    raise AssertionError("nothing is delayed or kept in a queue of a process's own")


class Subscription:
    """One queue, one channel at a time."""

    def __init__(self, link: Link, queue: str, prefetch: int, deliver: Deliver, care: Care) -> None:
        self._link = link
        self._queue = queue
        self._prefetch = prefetch
        self._deliver = deliver
        self._care = care
        self._channel: Channel | None = None
        self._acks: Acks | None = None
        self._consumer_tag = ""
        self._stopped = False
        self._paused = False
        self._subscribing = asyncio.Lock()
        self._coming_back: asyncio.Task[None] | None = None
        self._putting_aside: set[asyncio.Task[None]] = set()

    @property
    def queue(self) -> str:
        """Its name."""
        return self._queue

    async def start(self) -> None:
        """Consume now and on every later connection; raises LinkFailed if it cannot now."""
        await self._link.on_up(self._subscribe)

    async def stop(self) -> None:
        """See `Subscription.stop` of the port."""
        self._stopped = True
        await self._cancel()

    async def pause(self) -> None:
        """Take nothing more for now."""
        if not self._paused:
            self._paused = True
            await self._cancel()
            log.warning("Queue %r is paused; nothing more is taken from it", self._queue)

    async def resume(self) -> None:
        """Take again; harmless if it was not paused."""
        if self._paused and not self._stopped:
            self._paused = False
            log.warning("Queue %r is taken from again", self._queue)
            await self.start()

    async def close(self) -> None:
        """Give up the channel; the broker hands what is unsettled to others."""
        await self.stop()
        if self._putting_aside:
            await asyncio.wait(self._putting_aside, timeout=LAST_WORDS)
        for task in self._putting_aside:
            task.cancel()
        if self._acks is not None:
            self._acks.flush()
        await self._give_up_channel()

    async def _cancel(self) -> None:
        """Consume no more, neither now nor on later connections."""
        self._link.forget(self._subscribe)
        if self._coming_back is not None:
            self._coming_back.cancel()
        # A consumer that is being started at this moment would be overlooked.
        async with self._subscribing:
            channel, tag = self._channel, self._consumer_tag
            self._consumer_tag = ""
            if channel is not None and channel.failed is None and tag:
                try:
                    await channel.ask(commands.Basic.Cancel(tag))
                except LinkFailed as error:
                    log.debug("The consumer of %s was gone before it could be stopped: %s", self._queue, error)

    async def _give_up_channel(self) -> None:
        if self._channel is not None and self._channel.failed is None:
            try:
                await self._channel.close()
            except LinkFailed as error:
                log.debug("The channel of %s was gone before it could be closed: %s", self._queue, error)

    def ack(self, handle: Handle) -> None:
        """Settle with the other acks of this turn of the loop."""
        if handle.channel.failed is None and handle.acks.ack(handle.tag):
            asyncio.get_running_loop().call_soon(handle.acks.flush)

    def hand_back(self, handle: Handle) -> None:
        """Put it back to the front of the queue."""
        if handle.channel.failed is None:
            handle.acks.forget(handle.tag)
            handle.channel.send(nack_frame(handle.channel.number, handle.tag, requeue=True))

    async def _subscribe(self, connection: Connection) -> None:
        # A new connection and the recovery of a lost consumer may ask for it in the same moment.
        async with self._subscribing:
            if self._stopped or self._paused or (self._consumer_tag and self._is_on(connection)):
                return
            self._consumer_tag = ""
            try:
                channel = await self._channel_on(connection)
                if self._care.make_queue is not None:
                    self._queue = await self._care.make_queue(channel)
                answer = await channel.ask(commands.Basic.Consume(0, self._queue))
            except ChannelClosed as error:
                # Only this consumer is concerned; the connection and the others are well.
                self._ended(str(error))
                return
            self._consumer_tag = str(getattr(answer, "consumer_tag", ""))

    def _is_on(self, connection: Connection) -> bool:
        channel = self._channel
        return channel is not None and channel.failed is None and channel.connection is connection

    async def _channel_on(self, connection: Connection) -> Channel:
        """The channel of before if it still lives, for it may hold unsettled deliveries; else a new one."""
        if self._channel is not None and self._is_on(connection):
            return self._channel
        channel = await connection.open_channel()
        acks = Acks(channel)
        channel.received = lambda contents: self._received(channel, acks, contents)
        channel.on_cancel = lambda _tag: self._ended("the broker cancelled it; was the queue deleted?")
        channel.on_failure = self._channel_failed
        self._channel, self._acks = channel, acks
        await channel.ask(commands.Basic.Qos(0, self._prefetch, False))
        return channel

    def _channel_failed(self, error: LinkFailed) -> None:
        if isinstance(error, ChannelClosed) and self._consumer_tag:
            self._ended(why_channel_closed(error))

    def _ended(self, why: str) -> None:
        """The broker ended this consumer while the connection lives: start it again, with growing pauses."""
        self._consumer_tag = ""
        if self._stopped or self._paused or (self._coming_back is not None and not self._coming_back.done()):
            return
        log.warning("The consumer of queue %r has ended (%s); it is started again", self._queue, why)
        self._coming_back = asyncio.create_task(self._come_back(), name=f"goatherd consumer of {self._queue}")

    def _consumes(self) -> bool:
        return self._consumer_tag != ""

    async def _come_back(self) -> None:
        tries = 0
        while not self._consumes():
            longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2**tries)
            await asyncio.sleep(random.uniform(longest / 2, longest))
            tries += 1
            connection = await self._link.connection()
            try:
                await self._subscribe(connection)
            except LinkFailed as error:
                log.debug("The consumer of %s is not back yet: %s", self._queue, error)
        log.warning("Recovered the consumer of queue %r", self._queue)

    def _received(self, channel: Channel, acks: Acks, contents: list[Content]) -> None:
        now = time.time()
        deliveries = []
        for content in contents:
            if content.method != DELIVER:
                continue
            told = read_deliver(content.arguments)
            acks.hold(told.tag)
            handle = Handle(self, acks, channel, told.tag)
            delivery, read = self._delivery(handle, content, told, now)
            if told.redelivered and self._care.carried_on(delivery.message, handle):
                continue
            if self._is_to_be_delivered(delivery, read, now):
                deliveries.append(delivery)
        if deliveries:
            self._deliver(deliveries)

    def _is_to_be_delivered(self, delivery: Delivery, read: Properties, now: float) -> bool:
        """Whether it is; what is not due yet, or has expired while nobody waits for it, is put aside."""
        if self._care.make_queue is not None:
            # A stranger may answer with the headers of our request, which say nothing about the answer.
            return True
        expires = delivery.message.expires
        due = read.headers.get(DUE) if read.headers else None
        if expires is not None and expires <= now and not delivery.message.reply_to:
            self._not_to_deliver(delivery, None)
        elif isinstance(due, int) and due / 1000 > now:
            self._not_to_deliver(delivery, due / 1000)
        else:
            return True
        return False

    def _delivery(
        self, handle: Handle, content: Content, told: DeliverArguments, now: float
    ) -> tuple[Delivery, Properties]:
        read = properties.read_or_nothing(content.properties)
        body = content.body
        if told.exchange and told.exchange.decode() in self._care.announcing_exchanges:
            body = self._care.announced(read, body, told.routing_key.decode())
            # It is no copy of the job that is dead: it does not expire, nobody waits for an answer to it or watches
            # it, and its failures are its own.
            read = Properties(message_id=read.message_id or read.correlation_id)
        message = incoming(self._queue, read, body)
        due = read.headers.get(DUE)
        accepted = due / 1000 if isinstance(due, int) else float(read.timestamp) or now
        deaths = self._care.deaths(message) if told.redelivered else 0
        return Delivery(message=message, accepted=accepted, deaths=deaths, tag=handle), read

    def _not_to_deliver(self, delivery: Delivery, due: float | None) -> None:
        task = asyncio.create_task(self._aside(delivery, due), name=f"goatherd put aside {delivery.message.id}")
        self._putting_aside.add(task)
        task.add_done_callback(self._putting_aside.discard)

    async def _aside(self, delivery: Delivery, due: float | None) -> None:
        try:
            await self._care.put_aside(delivery, due)
        except Exception as error:  # noqa: BLE001 - whatever it is, the message must not stay in our hands
            log.warning("A message that is not due, or has expired, goes back to its queue: %s", error)
            await asyncio.sleep(1)
            handle = delivery.tag
            assert isinstance(handle, Handle)
            self.hand_back(handle)
