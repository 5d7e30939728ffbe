"""What Goatherd promises for a call, by hand on pika: both ways confirmed, and answers outlive a connection."""

import json
from itertools import takewhile
from typing import Any
from uuid import uuid4

import pika  # type: ignore[import-untyped]

from benchmarks.contender import Dialogue
from benchmarks.questions import right_answer
from benchmarks.rabbitmq_rpc.pika import PERSISTENT, Asker, Kinds, PikaDialogue, Server
from benchmarks.rabbitmq_rpc.promises import confirmed

#: Milliseconds for which the broker keeps a callback queue that nobody listens to, as Goatherd has it.
KEPT_FOR = 300_000

PROMISE = confirmed("request and answer persistent and confirmed, answers survive a lost connection")


class Confirms:
    """Counts publishes on a channel and tells which of them the broker has."""

    def __init__(self) -> None:
        self._published = 0
        self._waiting: dict[int, int] = {}

    def published(self, what: int) -> None:
        """One more is on its way."""
        self._published += 1
        self._waiting[self._published] = what

    def taken(self, frame: Any) -> list[int]:
        """What a confirm is for."""
        method = frame.method
        if not isinstance(method, pika.spec.Basic.Ack):
            raise TypeError(f"the broker did not take a message: {method}")
        tag = method.delivery_tag
        tags = list(takewhile(lambda waiting: waiting <= tag, self._waiting)) if method.multiple else [tag]
        return [self._waiting.pop(each) for each in tags]


class ConfirmedServer(Server):
    """Acks a request when the broker has its answer."""

    def set_up(self) -> None:
        self._confirms = Confirms()
        self.channel.confirm_delivery(self._taken, callback=lambda _frame: Server.set_up(self))

    def _asked(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        answer = json.dumps(right_answer(json.loads(body)))
        told = pika.BasicProperties(
            "application/json", delivery_mode=PERSISTENT, correlation_id=properties.correlation_id
        )
        channel.basic_publish("", properties.reply_to, answer, told)
        self._confirms.published(method.delivery_tag)

    def _taken(self, frame: Any) -> None:
        for request in self._confirms.taken(frame):
            self.channel.basic_ack(request)


class ConfirmedAsker(Asker):
    """Knows of each request whether the broker has it, and acks the answers."""

    auto_ack = False

    def set_up(self) -> None:
        self._confirms = Confirms()
        self.channel.confirm_delivery(self._confirms.taken, callback=self._is_confirming)

    def _is_confirming(self, _frame: Any) -> None:
        name = f"bench-callback-{uuid4().hex}"
        self.channel.queue_declare(name, durable=True, arguments={"x-expires": KEPT_FOR}, callback=self._declared)

    def _published(self, number: int) -> None:
        self._confirms.published(number)

    def _answered(self, channel: Any, method: Any, properties: Any, body: bytes) -> None:
        channel.basic_ack(method.delivery_tag)
        super()._answered(channel, method, properties, body)


CONTENDER: Dialogue = PikaDialogue(
    label="pika, same promises", promise=PROMISE, kinds=Kinds(ConfirmedServer, ConfirmedAsker)
)
