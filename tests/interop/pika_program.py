"""Another program on the same broker, as its authors write it with plain pika."""

import asyncio
import json
import time
from typing import Any, NamedTuple, Self

import pika

#: Seconds to wait for a message.
PATIENCE = 15.0


class Seen(NamedTuple):
    """A message as pika hands it over."""

    method: Any
    properties: pika.BasicProperties
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class PikaProgram:
    """One blocking connection with one channel."""

    def __init__(self, url: str) -> None:
        self._parameters = pika.URLParameters(url)

    def __enter__(self) -> Self:
        self._connection = pika.BlockingConnection(self._parameters)
        self.channel = self._connection.channel()
        self.channel.confirm_delivery()
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection.is_open:
            self._connection.close()

    def send(self, queue: str, body: object, **properties: Any) -> None:
        """Publish to a queue; what is not bytes becomes JSON."""
        encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.channel.basic_publish("", queue, encoded, pika.BasicProperties(**properties), mandatory=True)

    def take(self, queue: str, *, ack: bool = True) -> Seen:
        """Wait for the next message of a queue."""
        for method, properties, body in self.channel.consume(queue, inactivity_timeout=PATIENCE):
            assert method is not None, f"nothing came on {queue!r}"
            if ack:
                self.channel.basic_ack(method.delivery_tag)
            self.channel.cancel()
            return Seen(method, properties, body)
        raise AssertionError(f"the consumer of {queue!r} was cancelled")

    def wait_until_empty(self, queue: str) -> None:
        """Wait until nothing is ready in a queue."""
        deadline = time.monotonic() + PATIENCE
        while self.channel.queue_declare(queue, passive=True).method.message_count:
            assert time.monotonic() < deadline, f"{queue!r} is not empty"
            self._connection.process_data_events(0.02)

    async def take_meanwhile(self, queue: str, *, ack: bool = True) -> Seen:
        """Wait for the next message of a queue while this process does other things."""
        return await asyncio.to_thread(self.take, queue, ack=ack)
