"""Rows as messages and back."""

import json
from typing import Any, NamedTuple

import msgspec

from goatherd.model.message import NO_HEADERS, Header, Headers, Message

_decode = msgspec.json.Decoder(dict[str, Header]).decode


class QueueRow(NamedTuple):
    """What the broker must know of a queue to publish to it."""

    id: int
    ttl: float | None
    max_length: int | None
    announces_to: str | None


def headers_to_text(headers: Headers) -> str | None:
    """Headers as JSON; none as null, which most jobs have."""
    return json.dumps(dict(headers)) if headers else None


def headers_from_text(text: str | None) -> Headers:
    """Headers as they were."""
    if not text:
        return NO_HEADERS
    try:
        return _decode(text)
    except msgspec.DecodeError:
        # A text or a number that JSON as such does not have.
        odd: Headers = json.loads(text)
        return odd


def publish_row(message: Message, queue: QueueRow, now: float) -> tuple[Any, ...]:
    """The values of a new job, in the order of the `publish` statement."""
    due = message.due if message.due is not None and message.due > now else None
    # A call that has expired, or has waited for too long, is not kept but dropped by the worker that finds it.
    expires = message.expires
    stale = None if message.reply_to else expires
    if queue.ttl is not None and not message.reply_to:
        longest = (now if due is None else due) + queue.ttl
        stale = longest if stale is None else min(longest, stale)
    headers = headers_to_text(message.headers)
    address = (message.reply_to or None, message.correlation_id or None)
    return (
        queue.id, message.id, message.task, message.priority, message.body, headers, now, due, expires, stale, *address
    )  # fmt: skip
