"""Our messages as AMQP messages and back."""

from collections.abc import Mapping
from typing import Any

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.model.message import NO_HEADERS, Header, Message

#: When a delayed message is due, in milliseconds since the epoch, for hops that wait a little less.
DUE = "gh-due"
#: When nobody wants it any more; the broker drops its own expiration when a message leaves a hold queue.
EXPIRES = "gh-expires"

#: Strangers may send larger numbers than can be sent on.
_LARGEST = 2**63 - 1
#: Headers that the broker adds when a message dies; republished with them, a message may be lost as a cycle.
_DEATH_MARKS = frozenset(("x-death", "x-delivery-count"))


def outgoing(
    message: Message,
    exchange: str,
    routing_key: str,
    now: float,
    more: Mapping[str, Any],
    *,
    expires_itself: bool = True,
) -> Outgoing:
    """A message on its way to an exchange, with more headers if wanted.

    In a hold queue the broker must not let it expire: that would only send it on before its time.
    """
    headers: dict[str, Any] = {**message.headers, **more}
    expiration = ""
    if message.expires is not None:
        headers[EXPIRES] = int(message.expires * 1000)
        expiration = str(max(1, int((message.expires - now) * 1000))) if expires_itself else ""
    written = properties.write(
        Properties(
            headers=headers,
            priority=message.priority,
            expiration=expiration,
            correlation_id=message.correlation_id or (message.id if message.reply_to else ""),
            reply_to=message.reply_to,
            message_id=message.id,
            timestamp=int(now),
            type=message.task,
            # What the broker named itself is gone with the connection, and what is in it too.
            transient=routing_key.startswith("amq."),
        )
    )
    return Outgoing(message.id, exchange, routing_key, written, message.body)


def incoming(queue: str, read: Properties, body: bytes) -> Message:
    """A message from a queue, from us or from anyone."""
    expires, headers = None, NO_HEADERS
    if read.headers:
        expires = read.headers.get(EXPIRES)
        # A call of ours has this one alone.
        if expires is None or len(read.headers) > 1:
            headers = own_headers(read.headers)
    return Message(
        id=read.message_id or read.correlation_id,
        queue=queue,
        body=body,
        task=read.type,
        headers=headers,
        priority=read.priority,
        expires=expires / 1000 if isinstance(expires, int) else None,
        reply_to=read.reply_to,
        correlation_id=read.correlation_id,
    )


def own_headers(headers: Mapping[str, Any]) -> dict[str, Header]:
    """The headers that a message keeps when it is published again."""
    return {
        name: value
        for name, value in headers.items()
        if isinstance(value, str | int | float)
        and not (isinstance(value, int) and value > _LARGEST)
        and name not in _DEATH_MARKS
        and not name.startswith(("x-first-death", "x-last-death"))
        and name not in (DUE, EXPIRES)
    }
