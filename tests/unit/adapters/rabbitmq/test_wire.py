"""The decoder must understand any stream, however it is cut, and refuse nonsense without falling over."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pamqp import commands, frame
from pamqp.body import ContentBody
from pamqp.header import ContentHeader

from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.failures import ProtocolBroken
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.wire import (
    Cold,
    Confirm,
    Content,
    Decoder,
    Event,
    ack_frame,
    content_frames,
    nack_frame,
    publish_method,
    read_deliver,
)

LARGEST = 4096

texts = st.text(max_size=40)
bodies = st.binary(max_size=3 * LARGEST)


def delivered(channel: int, tag: int, body: bytes) -> bytes:
    """A delivery as a broker writes it, by the other library."""
    method = frame.marshal(commands.Basic.Deliver("consumer", tag, False, "exchange", "key"), channel)
    header = frame.marshal(ContentHeader(0, len(body), commands.Basic.Properties(message_id=f"id-{tag}")), channel)
    room = LARGEST - 8
    pieces = [body[start : start + room] for start in range(0, len(body), room)]
    return method + header + b"".join(frame.marshal(ContentBody(piece), channel) for piece in pieces)


@st.composite
def streams(draw: st.DrawFn) -> tuple[bytes, list[tuple[str, int, bytes | int]]]:
    """A stream of frames and what it says."""
    written, said = b"", []
    for number in range(draw(st.integers(1, 12))):
        channel = draw(st.integers(1, 5))
        kind = draw(st.sampled_from(("deliver", "confirm", "cold", "heartbeat")))
        if kind == "deliver":
            body = draw(bodies)
            written += delivered(channel, number + 1, body)
            said.append(("deliver", channel, body))
        elif kind == "confirm":
            written += frame.marshal(commands.Basic.Ack(number + 1, False), channel)
            said.append(("confirm", channel, number + 1))
        elif kind == "cold":
            written += frame.marshal(commands.Queue.DeclareOk("queue", 1, 2), channel)
            said.append(("cold", channel, 0))
        else:
            written += b"\x08\x00\x00\x00\x00\x00\x00\xce"
    return written, said


def summary(events: list[Event]) -> list[tuple[str, int, bytes | int]]:
    told: list[tuple[str, int, bytes | int]] = []
    for event in events:
        match event:
            case Content(channel=channel, body=body):
                told.append(("deliver", channel, body))
            case Confirm(channel=channel, tag=tag):
                told.append(("confirm", channel, tag))
            case Cold(channel=channel):
                told.append(("cold", channel, 0))
    return told


@given(streams(), st.lists(st.integers(1, 5000), max_size=60))
def test_a_stream_says_the_same_however_it_is_cut(stream: tuple[bytes, list[object]], cuts: list[int]) -> None:
    written, said = stream
    decoder, events, position = Decoder(LARGEST), list[Event](), 0
    for cut in [*cuts, len(written)]:
        events += decoder.feed(written[position : position + cut])
        position += cut
    assert summary(events) == said


@given(st.binary(max_size=2000))
def test_random_bytes_are_refused_or_waited_on_but_nothing_else(noise: bytes) -> None:
    with suppress(ProtocolBroken):
        Decoder(LARGEST).feed(noise)


@given(streams(), st.integers(0, 10_000), st.integers(0, 255))
def test_a_damaged_stream_never_raises_anything_of_its_own(
    stream: tuple[bytes, list[object]], place: int, value: int
) -> None:
    written = bytearray(stream[0] or b"\x00")
    written[place % len(written)] = value
    with suppress(ProtocolBroken):
        for event in Decoder(LARGEST).feed(bytes(written)):
            if isinstance(event, Content):
                read_deliver(event.arguments)
                properties.read(event.properties)


@given(streams(), st.integers(0, 10_000))
def test_a_truncated_stream_gives_what_is_whole_and_waits_for_the_rest(
    stream: tuple[bytes, list[object]], length: int
) -> None:
    written, said = stream
    decoder = Decoder(LARGEST)
    first = decoder.feed(written[: length % (len(written) + 1)])
    rest = decoder.feed(written[length % (len(written) + 1) :])
    assert summary([*first, *rest]) == said


def test_a_frame_larger_than_agreed_is_refused() -> None:
    with pytest.raises(ProtocolBroken, match="more than the 4096 agreed"):
        Decoder(LARGEST).feed(b"\x01\x00\x01\x00\x01\x00\x00rest")


def test_a_frame_without_its_end_mark_is_refused() -> None:
    broken = bytearray(frame.marshal(commands.Queue.DeclareOk("q", 1, 2), 1))
    broken[-1] = 0
    with pytest.raises(ProtocolBroken, match="end mark"):
        Decoder(LARGEST).feed(bytes(broken))


@given(texts, bodies)
def test_what_we_publish_another_library_reads_the_same(task: str, body: bytes) -> None:
    written = publish_method(3, "exchange", "key") + content_frames(
        3,
        properties.write(Properties(message_id="id", type=task, headers={"n": 1, "s": "t"}, priority=4)),
        body,
        LARGEST,
    )
    read, position = [], 0
    while position < len(written):
        used, channel, value = frame.unmarshal(written[position:])
        assert channel == 3
        read.append(value)
        position += used
    method, header, *contents = read
    assert isinstance(method, commands.Basic.Publish)
    assert isinstance(header, ContentHeader)
    assert (method.exchange, method.routing_key, method.mandatory) == ("exchange", "key", True)
    assert (header.properties.message_id, header.properties.delivery_mode, header.properties.priority) == ("id", 2, 4)
    assert header.properties.headers == {"n": 1, "s": "t"}
    assert (header.properties.message_type or "") == task
    assert b"".join(content.value for content in contents) == body


def test_acks_and_nacks_are_what_another_library_reads() -> None:
    _, channel, ack = frame.unmarshal(ack_frame(7, 99, multiple=True))
    assert (channel, ack.delivery_tag, ack.multiple) == (7, 99, True)
    _, channel, nack = frame.unmarshal(nack_frame(7, 98, requeue=True))
    assert (channel, nack.delivery_tag, nack.multiple, nack.requeue) == (7, 98, False, True)


@given(
    st.builds(
        Properties,
        content_type=texts,
        correlation_id=texts,
        reply_to=texts,
        expiration=st.sampled_from(("", "1", "60000")),
        message_id=texts,
        type=texts,
        priority=st.integers(0, 9),
        timestamp=st.integers(0, 2**40),
        headers=st.dictionaries(
            st.text(min_size=1, max_size=20),
            st.one_of(st.text(max_size=50), st.integers(-(2**62), 2**62), st.booleans()),
            max_size=5,
        ),
    )
)
def test_properties_survive_the_wire(wanted: Properties) -> None:
    assert properties.read(properties.write(wanted)) == wanted
