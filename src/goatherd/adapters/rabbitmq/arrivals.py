"""What a channel brings for one queue, as deliveries; what is not to be delivered now is put aside."""

import asyncio
import logging
import time

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.acks import Acks
from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.graves import is_letter
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.messages import DUE, incoming
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.way_aside import PREFIX as MOVING
from goatherd.adapters.rabbitmq.wire import Content, DeliverArguments, read_deliver
from goatherd.model.message import Delivery
from goatherd.ports.broker import Deliver

#: Seconds that messages which are being put aside may take when the subscription closes.
LAST_WORDS = 2.0

log = logging.getLogger("goatherd.rabbitmq")


class Arrivals:
    """Of one consumer."""

    def __init__(self, deliver: Deliver, care: Care) -> None:
        self._deliver = deliver
        self._care = care
        self._putting_aside: set[asyncio.Task[None]] = set()

    def take(self, queue: str, channel: Channel, acks: Acks, owner: object, contents: list[Content]) -> float:
        """Deliver what is to be delivered; gives the moment."""
        now = time.time()
        deliveries = []
        for content in contents:
            told = read_deliver(content.arguments)
            acks.hold(told.tag, owner)
            handle = Handle(acks, channel, told.tag)
            delivery, read = self._delivery(queue, handle, content, told, now)
            if told.redelivered and self._care.carried_on(delivery.message, handle):
                continue
            if self._is_to_be_delivered(delivery, read, now):
                deliveries.append(delivery)
        if deliveries:
            self._deliver(deliveries)
        return now

    async def close(self) -> None:
        """Let what is being put aside get there, if that does not take long."""
        if self._putting_aside:
            await asyncio.wait(self._putting_aside, timeout=LAST_WORDS)
        for task in self._putting_aside:
            task.cancel()

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
        self, queue: str, handle: Handle, content: Content, told: DeliverArguments, now: float
    ) -> tuple[Delivery, Properties]:
        read = properties.read_or_nothing(content.properties)
        body = content.body
        if told.exchange and self._is_copy_of_letter(queue, read, told):
            body = self._care.announced(read, body, told.routing_key.decode())
            # It is no copy of the job that is dead: it does not expire, nobody waits for an answer to it or watches
            # it, and its failures are its own.
            read = Properties(message_id=read.message_id or read.correlation_id)
        message = incoming(queue, read, body)
        due = read.headers.get(DUE)
        accepted = due / 1000 if isinstance(due, int) else float(read.timestamp) or now
        deaths = self._care.deaths(message) if told.redelivered else 0
        return Delivery(message=message, accepted=accepted, deaths=deaths, tag=handle), read

    def _is_copy_of_letter(self, queue: str, read: Properties, told: DeliverArguments) -> bool:
        exchange = told.exchange.decode()
        if exchange in self._care.announcing_exchanges:
            return True
        # While its queue was replaced it was moved, and with that came from another exchange.
        return (
            self._care.hears_of_letters
            and exchange.startswith(MOVING)
            and is_letter(read, told.routing_key.decode(), queue)
        )

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
            handle.hand_back()
