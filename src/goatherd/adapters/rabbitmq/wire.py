"""The hot frames of AMQP 0-9-1 by hand: deliveries and confirms coming in, publishes and acks going out.

Everything else (handshake, declare, bind, qos, errors) is rare and goes through pamqp. A frame is
type, channel, size, payload, end mark; a message is a method frame, a header frame and body frames on one channel.
"""

import struct
from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple, TypeAlias

from goatherd.adapters.rabbitmq.failures import ProtocolBroken

METHOD, HEADER, BODY, HEARTBEAT = 1, 2, 3, 8
END = 0xCE

DELIVER, RETURN, ACK, NACK = 0x003C003C, 0x003C0032, 0x003C0050, 0x003C0078
GET_OK = 0x003C0047
#: Methods that a header and bodies follow.
_WITH_CONTENT = frozenset((DELIVER, RETURN, GET_OK))

_FRAME = Struct(">BHI")
_METHOD_ID = Struct(">I")
_LONG = Struct(">I")
_LONGLONG = Struct(">Q")
_CONTENT = Struct(">BHIHHQ")
_DELIVERED = Struct(">QBB")
_DELIVER_ID = _METHOD_ID.pack(DELIVER)
_ACK_FRAME = Struct(">BHIHHQBB")
_NACK_FRAME = Struct(">BHIHHQBB")
HEARTBEAT_FRAME = _FRAME.pack(HEARTBEAT, 0, 0) + bytes([END])


class Content(NamedTuple):
    """A method with the message that follows it: a delivery, a return or an answer to get."""

    channel: int
    method: int
    #: The method's arguments, after its id.
    arguments: bytes
    #: Flags and properties of the header frame.
    properties: bytes
    body: bytes


class Confirm(NamedTuple):
    """The broker took, or refused to take, a publish."""

    channel: int
    tag: int
    multiple: bool
    taken: bool


class Cold(NamedTuple):
    """Any other method frame, whole, for pamqp."""

    channel: int
    frame: bytes


Event: TypeAlias = Content | Confirm | Cold


class _Assembly:
    """A message of which not all frames have come."""

    __slots__ = ("arguments", "bodies", "left", "method", "properties")

    def __init__(self, method: int, arguments: bytes) -> None:
        self.method = method
        self.arguments = arguments
        self.properties = b""
        self.bodies: list[bytes] = []
        self.left = -1


class Decoder:
    """Turns the byte stream of one connection into events, however it is cut."""

    def __init__(self, largest_frame: int) -> None:
        self.largest_frame = largest_frame
        self._rest = b""
        self._open: dict[int, _Assembly] = {}

    def feed(self, received: bytes) -> list[Event]:
        """The events that are complete now; raises ProtocolBroken."""
        stream = self._rest + received if self._rest else received
        position, length = 0, len(stream)
        events: list[Event] = []
        unpack = _FRAME.unpack_from
        while length - position >= 7:
            kind, channel, size = unpack(stream, position)
            if size > self.largest_frame:
                raise ProtocolBroken(f"a frame of {size} bytes, more than the {self.largest_frame} agreed on")
            end = position + 7 + size
            if end >= length:
                break
            if stream[end] != END:
                raise ProtocolBroken("a frame without its end mark")
            if kind == METHOD and size > 4 and channel not in self._open:
                whole, after = _whole_delivery(channel, stream, position, end)
                if whole is not None:
                    events.append(whole)
                    position = after
                    continue
            event = self._frame(kind, channel, stream, position, end)
            if event is not None:
                events.append(event)
            position = end + 1
        self._rest = stream[position:]
        return events

    def _frame(self, kind: int, channel: int, stream: bytes, start: int, end: int) -> Event | None:
        if kind == BODY:
            return self._body(channel, stream[start + 7 : end])
        if kind == HEADER:
            return self._header(channel, stream[start + 7 : end])
        if kind == METHOD:
            return self._method(channel, stream, start, end)
        if kind == HEARTBEAT:
            return None
        raise ProtocolBroken(f"a frame of unknown type {kind}")

    def _method(self, channel: int, stream: bytes, start: int, end: int) -> Event | None:
        if end - start < 11:
            raise ProtocolBroken("a method frame that is too short")
        if channel in self._open:
            raise ProtocolBroken("a method frame in the middle of a message")
        method = _METHOD_ID.unpack_from(stream, start + 7)[0]
        if method in _WITH_CONTENT:
            self._open[channel] = _Assembly(method, stream[start + 11 : end])
            return None
        if method in (ACK, NACK):
            if end - start < 20:
                raise ProtocolBroken("a confirm that is too short")
            tag = _LONGLONG.unpack_from(stream, start + 11)[0]
            return Confirm(channel, tag, bool(stream[start + 19] & 1), method == ACK)
        return Cold(channel, stream[start : end + 1])

    def _header(self, channel: int, payload: bytes) -> Event | None:
        assembly = self._open.get(channel)
        if assembly is None or assembly.left >= 0 or len(payload) < 14:
            raise ProtocolBroken("a header frame that belongs to no message")
        assembly.left = _LONGLONG.unpack_from(payload, 4)[0]
        assembly.properties = payload[12:]
        return self._complete(channel, assembly) if assembly.left == 0 else None

    def _body(self, channel: int, payload: bytes) -> Event | None:
        assembly = self._open.get(channel)
        if assembly is None or assembly.left < len(payload):
            raise ProtocolBroken("a body frame that belongs to no message")
        assembly.left -= len(payload)
        assembly.bodies.append(payload)
        return self._complete(channel, assembly) if assembly.left == 0 else None

    def _complete(self, channel: int, assembly: _Assembly) -> Content:
        del self._open[channel]
        bodies = assembly.bodies
        body = bodies[0] if len(bodies) == 1 else b"".join(bodies)
        return Content(channel, assembly.method, assembly.arguments, assembly.properties, body)


def _whole_delivery(channel: int, stream: bytes, start: int, end: int) -> tuple[Content | None, int]:
    """A delivery whose three frames are all here, which nearly every one is, and where it ends.

    None for anything else, also for what is wrong: the careful way finds out.
    """
    if stream[start + 7 : start + 11] != _DELIVER_ID:
        return None, start
    header, length = end + 1, len(stream)
    if length < header + 21:
        return None, start
    kind, same, size, _class, _weight, body_size = _CONTENT.unpack_from(stream, header)
    body = header + 8 + size
    if kind != HEADER or same != channel or size < 14 or length < body + 8 + body_size:
        return None, start
    kind, same, size = _FRAME.unpack_from(stream, body)
    body_end = body + 7 + size
    if kind != BODY or same != channel or size != body_size or stream[body - 1] != END or stream[body_end] != END:
        return None, start
    properties = stream[header + 19 : body - 1]
    return Content(channel, DELIVER, stream[start + 11 : end], properties, stream[body + 7 : body_end]), body_end + 1


class DeliverArguments(NamedTuple):
    """What a Deliver method tells."""

    tag: int
    redelivered: bool
    exchange: bytes
    routing_key: bytes


def read_deliver(arguments: bytes) -> DeliverArguments:
    """The arguments of Deliver; raises ProtocolBroken."""
    try:
        tag_at = 1 + arguments[0]
        tag, flags, exchange_size = _DELIVERED.unpack_from(arguments, tag_at)
        key_at = tag_at + 10 + exchange_size
        key = arguments[key_at + 1 : key_at + 1 + arguments[key_at]]
    except (IndexError, struct.error) as error:
        raise ProtocolBroken("a Deliver method that cannot be read") from error
    return DeliverArguments(tag, flags & 1 == 1, arguments[tag_at + 10 : key_at], key)


def read_consumer(arguments: bytes) -> bytes:
    """The tag of the consumer that a Deliver method is for."""
    return arguments[1 : 1 + arguments[0]]


def read_return(arguments: bytes) -> tuple[str, str]:
    """Exchange and routing key of a message that came back; raises ProtocolBroken."""
    try:
        exchange_at = 3 + arguments[2]
        key_at = exchange_at + 1 + arguments[exchange_at]
        key = arguments[key_at + 1 : key_at + 1 + arguments[key_at]]
        return arguments[exchange_at + 1 : key_at].decode(), key.decode()
    except (IndexError, ValueError) as error:
        raise ProtocolBroken("a Return method that cannot be read") from error


def short(text: str | bytes) -> bytes:
    """A short string; raises ValueError past 255 bytes."""
    encoded = text if isinstance(text, bytes) else text.encode()
    if len(encoded) > 255:
        raise ValueError(f"{text[:40]!r}… takes {len(encoded)} bytes; AMQP allows 255")
    return bytes([len(encoded)]) + encoded


def publish_method(channel: int, exchange: str, routing_key: str | bytes, *, mandatory: bool = True) -> bytes:
    """The method frame of a publish, the same for every message to one place."""
    payload = b"\x00\x3c\x00\x28\x00\x00" + short(exchange) + short(routing_key) + (b"\x01" if mandatory else b"\x00")
    return _FRAME.pack(METHOD, channel, len(payload)) + payload + bytes([END])


def content_frames(channel: int, properties: bytes, body: bytes, largest_frame: int) -> bytes:
    """Header and body frames; `properties` are flags and values."""
    header = _CONTENT.pack(HEADER, channel, 12 + len(properties), 60, 0, len(body)) + properties + b"\xce"
    room = largest_frame - 8
    if len(body) <= room:
        return header + _FRAME.pack(BODY, channel, len(body)) + body + b"\xce" if body else header
    return header + b"".join(_body_frames(channel, body, room))


def _body_frames(channel: int, body: bytes, room: int) -> Iterator[bytes]:
    for start in range(0, len(body), room):
        piece = body[start : start + room]
        yield _FRAME.pack(BODY, channel, len(piece)) + piece + b"\xce"


def ack_frame(channel: int, tag: int, *, multiple: bool = False) -> bytes:
    """It is done, or everything up to it is."""
    return _ACK_FRAME.pack(METHOD, channel, 13, 60, 80, tag, multiple, END)


def nack_frame(channel: int, tag: int, *, requeue: bool) -> bytes:
    """Take it back, or let it go to the dead letters."""
    return _NACK_FRAME.pack(METHOD, channel, 13, 60, 120, tag, 2 if requeue else 0, END)
