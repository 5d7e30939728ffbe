"""Pika's RPC tutorial in its fastest form: callbacks on SelectConnection, which needs neither threads nor a wait."""

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pika  # type: ignore[import-untyped]

from benchmarks.contender import AskAll, Dialogue, Promise
from benchmarks.questions import Questions, right_answer
from benchmarks.rabbitmq.promises import queue_arguments
from benchmarks.rabbitmq.server import left_in, queue_of, url_of
from benchmarks.rabbitmq_rpc.promises import PREFETCH, unconfirmed

#: The delivery mode of what outlives the broker.
PERSISTENT = 2

PROMISE = unconfirmed("request persistent, nothing confirmed, answers are gone with the connection")


@dataclass(frozen=True, kw_only=True)
class PikaDialogue:
    """The tutorial's client and server: an exclusive callback queue, read without acks."""

    label: str = "pika, SelectConnection"
    package: str = "pika"
    promise: Promise = PROMISE
    on_uvloop: bool = False
    kinds: "Kinds"

    async def prepare(self, place: Path) -> None:
        with pika.BlockingConnection(pika.URLParameters(url_of(place))) as connection:
            connection.channel().queue_declare(queue_of(place), durable=True, arguments=queue_arguments("classic"))

    @asynccontextmanager
    async def asking(self, place: Path) -> AsyncIterator[AskAll]:
        asker = self.kinds.asker(url_of(place), queue_of(place))
        asker.open()

        async def ask_all(questions: Questions, at_once: int) -> None:
            asker.ask_all(questions, at_once)

        yield ask_all
        asker.close()

    def work(self, place: Path, stop: threading.Event) -> None:
        server = self.kinds.server(url_of(place), queue_of(place))
        server.open()
        threading.Thread(target=_stop_server, args=(stop, server), name="stop pika", daemon=True).start()
        server.run()
        server.close()

    async def left(self, place: Path) -> int:
        return await left_in(place, queue_of(place))


class Party:
    """One connection with one channel, on a loop that runs when it is told to."""

    def __init__(self, url: str, queue: str) -> None:
        self._queue = queue
        self._failure: Exception | None = None
        self._connection = pika.SelectConnection(
            pika.URLParameters(url),
            on_open_callback=lambda connection: connection.channel(on_open_callback=self._channel_is_open),
            on_open_error_callback=self._over,
            on_close_callback=self._over,
        )
        self.loop = self._connection.ioloop

    def open(self) -> None:
        """Return when it is ready."""
        self.run()

    def run(self) -> None:
        """Run the loop until it is stopped; raises what ended the connection."""
        self.loop.start()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
        self.loop.start()

    def ready(self) -> None:
        """Let `open` return."""
        self.loop.stop()

    def _channel_is_open(self, channel: Any) -> None:
        self.channel = channel
        self.set_up()

    def set_up(self) -> None:
        """Declare and consume, and call `ready` in the end."""
        raise NotImplementedError

    def _over(self, _connection: Any, error: Exception) -> None:
        self._failure = error
        self.loop.stop()


class Server(Party):
    """Answers, then acks."""

    def set_up(self) -> None:
        """The queue of requests."""
        self.channel.basic_qos(prefetch_count=PREFETCH)
        self.channel.queue_declare(
            self._queue, durable=True, arguments=queue_arguments("classic"), callback=self._declared
        )

    def _declared(self, _frame: Any) -> None:
        self.channel.basic_consume(self._queue, self._asked, callback=lambda _frame: self.ready())

    def _asked(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        answer, known_as = json.dumps(right_answer(json.loads(body))), properties.correlation_id
        channel.basic_publish(
            "", properties.reply_to, answer, pika.BasicProperties("application/json", correlation_id=known_as)
        )
        channel.basic_ack(method.delivery_tag)


class Asker(Party):
    """Asks the next question whenever an answer comes."""

    auto_ack = True

    def set_up(self) -> None:
        """The callback queue."""
        self.channel.queue_declare("", exclusive=True, callback=self._declared)

    def _declared(self, frame: Any) -> None:
        self._callback_queue = frame.method.queue
        self.channel.basic_consume(
            self._callback_queue, self._answered, auto_ack=self.auto_ack, callback=lambda _frame: self.ready()
        )

    def ask_all(self, questions: Questions, at_once: int) -> None:
        """Return when all are answered."""
        self._questions = questions
        for _ in range(at_once):
            self._ask_next()
        self.run()

    def _ask_next(self) -> None:
        number = self._questions.next()
        if number is not None:
            properties = pika.BasicProperties(
                content_type="application/json",
                delivery_mode=PERSISTENT,
                reply_to=self._callback_queue,
                correlation_id=str(number),
            )
            self.channel.basic_publish("", self._queue, json.dumps(number), properties)
            self._published(number)

    def _published(self, number: int) -> None:
        """A question is on its way."""

    def _answered(self, _channel: Any, _method: Any, properties: Any, body: bytes) -> None:
        self._questions.answered(int(properties.correlation_id), json.loads(body))
        if self._questions.all_answered:
            self.loop.stop()
        else:
            self._ask_next()


def _stop_server(stop: threading.Event, server: Server) -> None:
    stop.wait()
    server.loop.add_callback_threadsafe(server.loop.stop)


@dataclass(frozen=True)
class Kinds:
    """The two sides."""

    server: type[Server]
    asker: type[Asker]


CONTENDER: Dialogue = PikaDialogue(kinds=Kinds(Server, Asker))
