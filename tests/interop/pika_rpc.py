"""Request and reply as RabbitMQ's own tutorial teaches it, with plain pika: a server and two kinds of clients."""

import threading
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, Self

import pika

#: Seconds to wait for an answer.
PATIENCE = 15.0
#: RabbitMQ's own pseudo-queue: the answer comes over the channel that asked.
DIRECT = "amq.rabbitmq.reply-to"


class PikaServer:
    """Answers what comes on a queue, to `reply_to` and with the request's `correlation_id`; in a thread of its own."""

    def __init__(self, url: str, queue: str, answer: Callable[[bytes], bytes], *, echoes: bool = False) -> None:
        self._parameters = pika.URLParameters(url)
        self._queue = queue
        self._answer = answer
        #: Whether it answers with all the properties of the request, as some programs do.
        self._echoes = echoes
        #: The properties of every request, in order.
        self.seen: list[pika.BasicProperties] = []
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"pika server of {queue}")

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE), "the server did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.add_callback_threadsafe(self._channel.stop_consuming)
        self._thread.join(PATIENCE)

    def _serve(self) -> None:
        self._connection = pika.BlockingConnection(self._parameters)
        self._channel = self._connection.channel()
        self._channel.queue_declare(self._queue, durable=True)
        self._channel.basic_qos(prefetch_count=1)
        self._channel.basic_consume(self._queue, self._on_request)
        self._ready.set()
        self._channel.start_consuming()
        self._connection.close()

    def _on_request(self, channel: Any, method: Any, properties: pika.BasicProperties, body: bytes) -> None:
        self.seen.append(properties)
        own = properties if self._echoes else pika.BasicProperties(correlation_id=properties.correlation_id)
        channel.basic_publish("", properties.reply_to, self._answer(body), own)
        channel.basic_ack(method.delivery_tag)


class PikaClient:
    """Asks and waits on an exclusive queue that the broker has named."""

    def __init__(self, url: str) -> None:
        self._connection = pika.BlockingConnection(pika.URLParameters(url))
        self._channel = self._connection.channel()
        self._answers: dict[str, tuple[pika.BasicProperties, bytes]] = {}
        self.callback_queue = self._listen()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self, queue: str, body: bytes, **properties: Any) -> str:
        """Publish a request; returns what its answer is known by."""
        known_by = str(uuid.uuid4())
        told: Mapping[str, Any] = {"reply_to": self.callback_queue, "correlation_id": known_by, **properties}
        self._channel.basic_publish("", queue, body, pika.BasicProperties(**told))
        return str(told["correlation_id"])

    def answer(self, known_by: str, patience: float = PATIENCE) -> tuple[pika.BasicProperties, bytes] | None:
        """The answer, once it has come; None if it does not."""
        until = time.monotonic() + patience
        while known_by not in self._answers and time.monotonic() < until:
            self._connection.process_data_events(time_limit=0.05)
        return self._answers.pop(known_by, None)

    def call(self, queue: str, body: bytes, **properties: Any) -> bytes:
        """Ask, and wait for the answer."""
        found = self.answer(self.ask(queue, body, **properties))
        assert found is not None, f"no answer from {queue!r}"
        return found[1]

    def _listen(self) -> str:
        name = self._channel.queue_declare("", exclusive=True).method.queue
        self._channel.basic_consume(name, self._on_answer, auto_ack=True)
        return str(name)

    def _on_answer(self, _channel: Any, _method: Any, properties: pika.BasicProperties, body: bytes) -> None:
        self._answers[properties.correlation_id] = (properties, body)


class DirectClient(PikaClient):
    """Asks and waits without any queue."""

    def _listen(self) -> str:
        self._channel.basic_consume(DIRECT, self._on_answer, auto_ack=True)
        return DIRECT
