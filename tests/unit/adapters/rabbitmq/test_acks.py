"""What is acked on the wire is what was acked, never more, however acks are gathered into frames."""

from dataclasses import dataclass, field
from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from pamqp import commands, frame

from goatherd.adapters.rabbitmq.acks import Acks
from goatherd.adapters.rabbitmq.channel import Channel
from goatherd.adapters.rabbitmq.failures import LinkFailed, LinkLost
from goatherd.adapters.rabbitmq.host import Host
from goatherd.adapters.rabbitmq.wire import DELIVER, Content, read_deliver


@dataclass
class Wire:
    """Stands for a channel, and for the broker's books behind it."""

    number: int = 7
    failed: LinkFailed | None = None
    unsettled: set[int] = field(default_factory=set)
    acked: set[int] = field(default_factory=set)
    frames: list[commands.Basic.Ack] = field(default_factory=list)

    def send(self, written: bytes) -> None:
        while written:
            used, channel, ack = frame.unmarshal(written)
            written = written[used:]
            assert isinstance(ack, commands.Basic.Ack)
            assert channel == self.number
            self.frames.append(ack)
            self._settle(ack)

    def _settle(self, ack: commands.Basic.Ack) -> None:
        """As a broker does it: a frame for many settles everything up to its tag, and a second ack is an error."""
        tags = {tag for tag in self.unsettled if tag <= ack.delivery_tag} if ack.multiple else {ack.delivery_tag}
        assert tags <= self.unsettled, "the broker closes the channel for an unknown delivery tag"
        assert tags
        self.unsettled -= tags
        self.acked |= tags


def acks_on(wire: Wire) -> Acks:
    return Acks(cast(Channel, wire))


#: What happens, one after the other; a number picks one of the deliveries that are held.
steps = st.lists(
    st.one_of(
        st.just(("deliver", 0)),
        st.tuples(st.sampled_from(("ack", "nack")), st.integers(0, 50)),
        st.just(("flush", 0)),
    ),
    max_size=120,
)


@given(steps)
def test_the_broker_knows_exactly_what_was_acked(story: list[tuple[str, int]]) -> None:
    wire = Wire()
    acks = acks_on(wire)
    held: list[int] = []
    acked: set[int] = set()
    arranged, last = False, 0
    for what, choice in story:
        if what == "deliver":
            last += 1
            wire.unsettled.add(last)
            held.append(last)
            acks.hold(last, None)
        elif what == "flush":
            acks.flush()
            arranged = False
            assert wire.acked == acked
        elif held:
            tag = held.pop(choice % len(held))
            if what == "ack":
                arranged = acks.ack(tag) or arranged
                acked.add(tag)
                assert arranged, "somebody must have been asked to flush"
            else:
                wire.unsettled.discard(tag)
                acks.forget(tag)
        assert wire.acked <= acked
    acks.flush()
    assert wire.acked == acked
    assert wire.unsettled == set(held)


class Listener:
    """One of those on the channel; keeps what it is given."""

    queue = "any"

    def __init__(self) -> None:
        self.got: list[int] = []

    def take(self, host: Host, contents: list[Content]) -> None:
        for content in contents:
            tag = read_deliver(content.arguments).tag
            host.acks.hold(tag, self)
            self.got.append(tag)

    def cancelled(self, why: str) -> None: ...

    def lost(self, host: Host, error: LinkFailed, *, guilty: bool) -> None: ...


def delivered(consumer: int, tag: int) -> Content:
    arguments = bytes([1]) + b"%d" % consumer + tag.to_bytes(8, "big") + b"\x00" + b"\x00" + b"\x00"
    return Content(7, DELIVER, arguments, b"", b"")


#: Which consumers the messages of one packet are for, and which of those that are held are acked after it.
packets = st.lists(
    st.tuples(st.lists(st.integers(0, 2), max_size=6), st.lists(st.integers(0, 50), max_size=6)), max_size=20
)


@given(packets)
def test_it_knows_that_also_of_many_consumers_on_one_channel(story: list[tuple[list[int], list[int]]]) -> None:
    wire = Wire()
    host = Host(cast(Channel, wire), 200, lambda _host: None)
    listeners = [Listener() for _ in range(3)]
    host._by_tag.update({b"%d" % number: listener for number, listener in enumerate(listeners)})
    held: list[int] = []
    acked: set[int] = set()
    last = 0
    for receivers, choices in story:
        contents = [delivered(receiver, last + number) for number, receiver in enumerate(receivers, 1)]
        tags = list(range(last + 1, last + 1 + len(receivers)))
        last += len(receivers)
        wire.unsettled |= set(tags)
        held += tags
        host._received(contents)
        for choice in choices:
            if held:
                tag = held.pop(choice % len(held))
                host.acks.ack(tag)
                acked.add(tag)
        host.acks.flush()
        assert wire.acked == acked
    assert sorted(tag for listener in listeners for tag in listener.got) == list(range(1, last + 1))


def test_a_run_without_gaps_is_one_frame() -> None:
    wire, acks = given_deliveries(5)
    for tag in (3, 1, 2):
        acks.ack(tag)
    acks.flush()
    assert [(ack.delivery_tag, ack.multiple) for ack in wire.frames] == [(3, True)]


def test_a_gap_is_never_acked_over() -> None:
    wire, acks = given_deliveries(5)
    for tag in (1, 3, 5):
        acks.ack(tag)
    acks.flush()
    assert [(ack.delivery_tag, ack.multiple) for ack in wire.frames] == [(1, True), (3, False), (5, False)]
    assert wire.unsettled == {2, 4}


def test_what_was_settled_in_another_way_is_no_gap() -> None:
    wire, acks = given_deliveries(3)
    wire.unsettled.remove(2)
    acks.forget(2)
    acks.ack(1)
    acks.ack(3)
    acks.flush()
    assert [(ack.delivery_tag, ack.multiple) for ack in wire.frames] == [(3, True)]


def test_a_second_ack_of_one_delivery_says_nothing() -> None:
    wire, acks = given_deliveries(2)
    acks.ack(1)
    acks.ack(1)
    acks.flush()
    acks.ack(1)
    acks.flush()
    assert len(wire.frames) == 1


def test_nothing_is_said_on_a_channel_that_is_gone() -> None:
    wire, acks = given_deliveries(2)
    acks.ack(1)
    wire.failed = LinkLost("cut")
    acks.flush()
    assert wire.frames == []


def given_deliveries(count: int) -> tuple[Wire, Any]:
    wire = Wire(unsettled=set(range(1, count + 1)))
    acks = acks_on(wire)
    for tag in range(1, count + 1):
        acks.hold(tag, None)
    return wire, acks
