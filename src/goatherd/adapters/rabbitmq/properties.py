"""A message's properties: the flags and values of its header frame."""

import logging
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from struct import Struct
from types import MappingProxyType
from typing import Any

import msgspec
from pamqp import decode

from goatherd.adapters.rabbitmq.failures import ProtocolBroken
from goatherd.adapters.rabbitmq.tables import write_table
from goatherd.adapters.rabbitmq.wire import short

log = logging.getLogger("goatherd.rabbitmq")

_FLAGS = Struct(">H")
_LONGLONG = Struct(">Q")

_CONTENT_TYPE, _CONTENT_ENCODING, _HEADERS, _DELIVERY_MODE = 0x8000, 0x4000, 0x2000, 0x1000
_PRIORITY, _CORRELATION_ID, _REPLY_TO, _EXPIRATION = 0x0800, 0x0400, 0x0200, 0x0100
_MESSAGE_ID, _TIMESTAMP, _TYPE = 0x0080, 0x0040, 0x0020

_TRANSIENT, _PERSISTENT = b"\x01", b"\x02"
_NO_HEADERS: Mapping[str, Any] = MappingProxyType({})


class Properties(msgspec.Struct, frozen=True, kw_only=True):
    """Those that we read or write."""

    content_type: str = "application/json"
    headers: Mapping[str, Any] = {}
    priority: int = 0
    correlation_id: str = ""
    reply_to: str = ""
    #: Milliseconds that the message may wait, as text.
    expiration: str = ""
    message_id: str = ""
    #: Whole seconds since the epoch; 0 for none.
    timestamp: int = 0
    type: str = ""
    #: Gone with the broker.
    transient: bool = False


#: For the few texts that are the same in message after message.
_often = lru_cache(maxsize=1024)(short)


def write(properties: Properties) -> bytes:  # noqa: C901 - one branch for each property, in the order of the wire
    """Flags and values; raises ValueError for what AMQP cannot carry."""
    flags = _DELIVERY_MODE
    values = b""
    if properties.content_type:
        flags |= _CONTENT_TYPE
        values = _often(properties.content_type)
    if properties.headers:
        flags |= _HEADERS
        values += write_table(properties.headers)
    values += _TRANSIENT if properties.transient else _PERSISTENT
    if properties.priority:
        flags |= _PRIORITY
        values += bytes([properties.priority])
    if properties.correlation_id:
        flags |= _CORRELATION_ID
        values += short(properties.correlation_id)
    if properties.reply_to:
        flags |= _REPLY_TO
        values += _often(properties.reply_to)
    if properties.expiration:
        flags |= _EXPIRATION
        values += short(properties.expiration)
    if properties.message_id:
        flags |= _MESSAGE_ID
        values += short(properties.message_id)
    if properties.timestamp:
        flags |= _TIMESTAMP
        values += _LONGLONG.pack(properties.timestamp)
    if properties.type:
        flags |= _TYPE
        values += _often(properties.type)
    return _FLAGS.pack(flags) + values


def read(content: bytes) -> Properties:
    """The properties of a message from anyone; raises ProtocolBroken."""
    try:
        return _read(content)
    except Exception as broken:  # pamqp raises what it likes for a table that it cannot read
        raise ProtocolBroken("properties that cannot be read") from broken


def read_or_nothing(content: bytes) -> Properties:
    """The same, but a message with properties that nobody can read is still somebody's message."""
    try:
        return _read(content)
    except Exception as broken:  # noqa: BLE001 - pamqp raises what it likes for a table that it cannot read
        log.warning("A message has properties that cannot be read (%s), so only its bytes are kept", broken)
        return Properties(content_type="")


def _read(content: bytes) -> Properties:  # noqa: C901 - one branch for each property, in the order of the wire
    flags = content[0] << 8 | content[1]
    if flags & 1:
        raise ValueError("more than one word of flags")
    at = 2
    content_type = correlation_id = reply_to = expiration = message_id = kind = ""
    headers: Mapping[str, Any] = _NO_HEADERS
    priority = timestamp = 0
    if flags & _CONTENT_TYPE:
        content_type, at = _short(content, at)
    if flags & _CONTENT_ENCODING:
        _, at = _short(content, at)
    if flags & _HEADERS:
        used, headers = decode.field_table(content[at:])
        at += used
    if flags & _DELIVERY_MODE:
        at += 1
    if flags & _PRIORITY:
        priority = content[at]
        at += 1
    if flags & _CORRELATION_ID:
        correlation_id, at = _short(content, at)
    if flags & _REPLY_TO:
        reply_to, at = _short(content, at)
    if flags & _EXPIRATION:
        expiration, at = _short(content, at)
    if flags & _MESSAGE_ID:
        message_id, at = _short(content, at)
    if flags & _TIMESTAMP:
        timestamp = _LONGLONG.unpack_from(content, at)[0]
        at += 8
    if flags & _TYPE:
        kind, at = _short(content, at)
    return Properties(
        content_type=content_type,
        headers=headers,
        priority=priority,
        correlation_id=correlation_id,
        reply_to=reply_to,
        expiration=expiration,
        message_id=message_id,
        timestamp=timestamp,
        type=kind,
    )


def _short(content: bytes, at: int) -> tuple[str, int]:
    end = at + 1 + content[at]
    if end > len(content):
        raise ValueError("a string runs past the end")
    return content[at + 1 : end].decode("utf-8", "replace"), end


def moment_of(value: object) -> float | None:
    """A header's time in seconds, where a stranger's table may hold a date or a number."""
    if isinstance(value, datetime):
        return value.timestamp()
    return float(value) if isinstance(value, int | float) else None
