"""Make what is missing on the broker, and say exactly what differs from what is wanted."""

import re
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.declarations import (
    declare_binding,
    declare_exchange,
    declare_queue,
    delete_queue,
    look_for_exchange,
    look_for_queue,
    purge_queue,
)
from goatherd.adapters.rabbitmq.failures import ChannelClosed
from goatherd.adapters.rabbitmq.names import Names
from goatherd.errors import TopologyMismatch
from goatherd.model.blueprint import BindingSpec, ExchangeSpec, QueueSpec
from goatherd.model.topology import Queue

Declare: TypeAlias = Literal["create", "check", "never"]
QueueType: TypeAlias = Literal["quorum", "classic"]

#: A far backstop: our own counts decide when a job is given up; here also being held by a worker that ends counts.
DELIVERY_LIMIT = 1000

#: Of the queue of dead letters. It says its type, because to look at a letter is to take it and put it back, and a
#: quorum queue, which may be the virtual host's default, drops what was put back some twenty times.
DEAD_QUEUE_ARGUMENTS: Mapping[str, Any] = {"x-queue-type": "classic"}

_INEQUIVALENT = re.compile(
    r"inequivalent arg '(?P<argument>[^']+)' for (?P<kind>queue|exchange) '(?P<name>[^']*)' in vhost '[^']*': "
    r"received (?P<wanted>.+?) but current is (?P<found>.+)"
)
_VALUE = re.compile(r"^the value '(?P<value>.*)' of type '\w+'$")


def queue_arguments(queue: Queue, names: Names, queue_type: str) -> dict[str, Any]:
    """The arguments of a queue: exactly its contract's where there is one, our own rules for the rest."""
    arguments: dict[str, Any] = dict(queue.arguments)
    if queue.ttl is not None:
        arguments["x-message-ttl"] = int(queue.ttl * 1000)
    if queue.max_length is not None:
        arguments["x-max-length"] = queue.max_length
    if queue.dead_letter is not None:
        arguments["x-dead-letter-exchange"], arguments["x-dead-letter-routing-key"] = queue.dead_letter
    if queue.type == "quorum":
        arguments["x-queue-type"] = "quorum"
    if queue.contract:
        return arguments
    arguments["x-dead-letter-exchange"] = names.dead_exchange
    if queue_type == "quorum":
        arguments["x-queue-type"] = "quorum"
        arguments["x-delivery-limit"] = DELIVERY_LIMIT
        arguments["x-dead-letter-strategy"] = "at-least-once"
        arguments["x-overflow"] = "reject-publish"
    return arguments


def hold_arguments(milliseconds: int, names: Names, queue_type: str) -> dict[str, Any]:
    """The arguments of the queue in which messages wait for so long."""
    arguments: dict[str, Any] = {"x-message-ttl": milliseconds, "x-dead-letter-exchange": names.due_exchange}
    if queue_type == "quorum":
        arguments |= {
            "x-queue-type": "quorum", "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish",
            "x-max-length": 10_000_000,
        }  # fmt: skip
    return arguments


class Declarer:
    """Declares on channels that nobody else uses, because a refusal closes the channel on which it was asked."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def exchange(
        self, name: str, kind: str, arguments: Mapping[str, Any] | None = None, *, durable: bool = True
    ) -> None:
        """Make an exchange."""
        await self.ask(declare_exchange(ExchangeSpec(name=name, type=kind, durable=durable, arguments=arguments or {})))

    async def queue(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Make a durable queue."""
        await self.ask(declare_queue(QueueSpec.from_declared(name, arguments)))

    async def bind(self, queue: str, exchange: str, key: str) -> None:
        """Let what an exchange gets under a key go to a queue."""
        await self.ask(declare_binding(BindingSpec(source=exchange, destination=queue, key=key)))

    async def lead(self, source: str, key: str, to: str) -> None:
        """Let what one exchange gets under a key go to another one, too."""
        way = BindingSpec(source=source, destination=to, destination_type="exchange", key=key)
        await self.ask(declare_binding(way))

    async def exists(self, name: str) -> tuple[int, int] | None:
        """How many messages and consumers a queue has; None if there is no such queue."""
        try:
            answer = await self.ask(look_for_queue(name))
        except ChannelClosed as error:
            if error.code == 404:
                return None
            raise
        assert isinstance(answer, commands.Queue.DeclareOk)
        return answer.message_count or 0, answer.consumer_count or 0

    async def has_exchange(self, name: str) -> bool:
        """Whether there is such an exchange."""
        try:
            await self.ask(look_for_exchange(name))
        except ChannelClosed as error:
            if error.code == 404:
                return False
            raise
        return True

    async def delete(self, name: str) -> None:
        """Delete a queue with all that is in it; harmless if there is none."""
        await self.ask(delete_queue(name))

    async def purge(self, name: str) -> int:
        """Drop every waiting message of a queue; returns how many."""
        answer = await self.ask(purge_queue(name))
        assert isinstance(answer, commands.Queue.PurgeOk)
        return answer.message_count or 0

    async def ask(self, question: Frame) -> Frame:
        """The broker's answer; raises TopologyMismatch, or ChannelClosed if it refuses for another reason."""
        channel = await self.connection.lend_channel()
        try:
            answer = await channel.ask(question)
        except ChannelClosed as error:
            mismatch = mismatch_in(error)
            if mismatch is None:
                raise
            raise mismatch from error
        await self.connection.take_back(channel)
        return answer


def mismatch_in(error: ChannelClosed) -> TopologyMismatch | None:
    """What differs, if that is why the broker refused."""
    found = _INEQUIVALENT.search(error.text)
    if found is None:
        return None
    argument = found["argument"]
    wanted: object = _plain(found["wanted"])
    there: object = _plain(found["found"])
    if argument == "x-message-ttl":
        argument, wanted, there = "ttl (x-message-ttl)", _in_seconds(wanted), _in_seconds(there)
    kind, name = found["kind"], found["name"]
    message = (
        f"The {kind} {name!r} exists with {argument} = {there!r}, but this program wants {wanted!r}. Make the two "
        f"agree: change the declaration here, or mend the broker. `goatherd topology plan` shows all that differs, and "
        f"`goatherd topology apply` mends it without losing a message."
    )
    return TopologyMismatch(kind, name, argument, wanted, there, message=message)


def _plain(told: str) -> str | int | None:
    if told == "none":
        return None
    found = _VALUE.match(told)
    value = found["value"] if found else told.strip("'")
    return int(value) if value.isdigit() else value


def _in_seconds(milliseconds: object) -> object:
    return milliseconds / 1000 if isinstance(milliseconds, int) else milliseconds
