"""aio-pika: the RPC of its tutorial, written by hand."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractIncomingMessage, AbstractQueue

from benchmarks.contender import AskAll, Dialogue, Promise
from benchmarks.loops import run
from benchmarks.questions import ask_by_tasks, right_answer
from benchmarks.rabbitmq.promises import queue_arguments
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.rabbitmq_rpc.promises import PREFETCH, unconfirmed

PROMISE = unconfirmed("request persistent, nothing confirmed, answers are gone with the connection")


@dataclass(frozen=True, kw_only=True)
class AioPikaDialogue:
    """The tutorial's client and server: an exclusive callback queue, read without acks."""

    label: str = "aio-pika, on uvloop"
    package: str = "aio-pika"
    promise: Promise = PROMISE
    on_uvloop: bool = True
    confirms: bool = False

    async def prepare(self, place: Path) -> None:
        async with self._channel(place) as channel:
            await _declare(channel, place)

    @asynccontextmanager
    async def asking(self, place: Path) -> AsyncIterator[AskAll]:
        async with self._channel(place) as channel:
            callback_queue = await channel.declare_queue(exclusive=True)
            waiting: dict[str, asyncio.Future[int]] = {}

            async def answered(message: AbstractIncomingMessage) -> None:
                waiting.pop(message.correlation_id or "").set_result(json.loads(message.body))

            await callback_queue.consume(answered, no_ack=True)
            yield partial(ask_by_tasks, _call(channel, queue_of(place), callback_queue.name, waiting))

    def work(self, place: Path, stop: threading.Event) -> None:
        run(self, self._work(place, stop))

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))

    @asynccontextmanager
    async def _channel(self, place: Path) -> AsyncIterator[AbstractChannel]:
        async with await aio_pika.connect(url_of(place)) as connection:
            yield await connection.channel(publisher_confirms=self.confirms)

    async def _work(self, place: Path, stop: threading.Event) -> None:
        async with self._channel(place) as channel:
            await channel.set_qos(prefetch_count=PREFETCH)
            queue = await _declare(channel, place)

            async def asked(message: AbstractIncomingMessage) -> None:
                answer = json.dumps(right_answer(json.loads(message.body))).encode()
                reply = aio_pika.Message(answer, content_type="application/json", correlation_id=message.correlation_id)
                await channel.default_exchange.publish(reply, routing_key=message.reply_to or "")
                await message.ack()

            await queue.consume(asked)
            await asyncio.to_thread(stop.wait)


def _call(
    channel: AbstractChannel, queue: str, reply_to: str, waiting: dict[str, asyncio.Future[int]]
) -> Callable[[int], Awaitable[int]]:
    loop = asyncio.get_running_loop()

    async def call(number: int) -> int:
        known_as = str(number)
        answer: asyncio.Future[int] = loop.create_future()
        waiting[known_as] = answer
        request = aio_pika.Message(
            json.dumps(number).encode(),
            content_type="application/json",
            correlation_id=known_as,
            reply_to=reply_to,
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
        )
        await channel.default_exchange.publish(request, routing_key=queue)
        return await answer

    return call


async def _declare(channel: AbstractChannel, place: Path) -> AbstractQueue:
    return await channel.declare_queue(queue_of(place), durable=True, arguments={**queue_arguments("classic")})


CONTENDER: Dialogue = AioPikaDialogue()
