"""A consumer comes back after every loss, and settles nothing that is not its own any more."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import conduct
from goatherd.adapters.rabbitmq import link as link_module
from goatherd.adapters.rabbitmq.care import Care
from goatherd.adapters.rabbitmq.handle import Handle
from goatherd.adapters.rabbitmq.hosting import Hosting
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.subscription import Subscription
from goatherd.model.message import Delivery
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(conduct, "FIRST_PAUSE", 0.01)


class Worker:
    """Takes what is delivered."""

    def __init__(self) -> None:
        self._got: asyncio.Queue[Delivery] = asyncio.Queue()
        self.put_aside: list[tuple[bytes, float | None]] = []

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        for delivery in deliveries:
            self._got.put_nowait(delivery)

    async def next(self) -> Delivery:
        return await asyncio.wait_for(self._got.get(), 5)

    def is_idle(self) -> bool:
        return self._got.empty()

    async def aside(self, delivery: Delivery, due: float | None) -> None:
        self.put_aside.append((delivery.message.body, due))


@pytest.fixture
def worker() -> Worker:
    return Worker()


@pytest.fixture
async def link(server: ScriptedServer) -> AsyncIterator[Link]:
    link = Link(server.address(), "test")
    yield link
    await link.abort()


@pytest.fixture
async def subscription(link: Link, worker: Worker) -> AsyncIterator[Subscription]:
    care = Care(
        put_aside=worker.aside,
        deaths=lambda _message: 0,
        carried_on=lambda _message, _handle: False,
        announcing_exchanges=frozenset(("shop.dead.v1",)),
        announced=lambda _read, body, _key: body,
    )
    hosting = Hosting(link)
    subscription = Subscription(hosting, "work", 7, worker.deliver, care)
    yield subscription
    await link.abort()
    await hosting.vanish()


async def connected(link: Link, server: ScriptedServer) -> Conversation:
    opening = asyncio.create_task(link.open())
    talk = await again(server)
    await opening
    return talk


async def again(server: ScriptedServer) -> Conversation:
    talk = await server.next()
    await talk.shake_hands()
    return talk


async def consuming(talk: Conversation) -> int:
    """The number of the channel on which it consumes now."""
    qos = await talk.hears(commands.Basic.Qos)
    assert (qos.prefetch_count, qos.global_) == (7, False)
    assert (await talk.hears(commands.Basic.Consume)).queue == "work"
    return talk.channel_of(commands.Basic.Consume)


def handle(delivery: Delivery) -> Handle:
    return cast(Handle, delivery.tag)


async def test_acks_of_one_turn_are_one_frame(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    for tag in range(1, 4):
        talk.deliver(channel, tag, b"%d" % tag, message_id=f"job-{tag}")
    got = [await worker.next() for _ in range(3)]
    assert [(each.message.id, each.message.body) for each in got] == [("job-1", b"1"), ("job-2", b"2"), ("job-3", b"3")]
    for each in got:
        handle(each).ack()
    ack = await talk.hears(commands.Basic.Ack)
    assert (ack.delivery_tag, ack.multiple) == (3, True)
    await talk.hears_nothing_of(commands.Basic.Ack, 0.02)


async def test_what_is_handed_back_goes_to_others(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    talk.deliver(await consuming(talk), 1, b"")
    handle(await worker.next()).hand_back()
    nack = await talk.hears(commands.Basic.Nack)
    assert (nack.delivery_tag, nack.multiple, nack.requeue) == (1, False, True)


async def test_what_was_delivered_before_a_loss_is_not_settled_after_it(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    """The broker delivers it again; an ack with the old number would settle somebody else's message."""
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    talk.deliver(channel, 1, b"old")
    talk.deliver(channel, 2, b"older")
    old, older = await worker.next(), await worker.next()
    handle(old).ack()
    talk.cut()
    talk = await again(server)
    talk.deliver(await consuming(talk), 1, b"new", redelivered=True)
    new = await worker.next()
    handle(old).ack()
    handle(older).hand_back()
    await talk.hears_nothing_of(commands.Basic.Ack, 0.05)
    await talk.hears_nothing_of(commands.Basic.Nack, 0)
    handle(new).ack()
    assert (await talk.hears(commands.Basic.Ack)).delivery_tag == 1


async def test_a_channel_that_the_broker_closed_is_replaced(
    subscription: Subscription,
    link: Link,
    server: ScriptedServer,
    worker: Worker,
    caplog: pytest.LogCaptureFixture,
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    talk.deliver(channel, 1, b"long")
    old = await worker.next()
    text = "PRECONDITION_FAILED - delivery acknowledgement on channel 1 timed out. Timeout value used: 1800000 ms."
    talk.say(commands.Channel.Close(406, text, 0, 0), channel)
    channel = await consuming(talk)
    handle(old).ack()
    talk.deliver(channel, 1, b"again", redelivered=True)
    assert (await worker.next()).message.body == b"again"
    await talk.hears_nothing_of(commands.Basic.Ack, 0.02)
    assert "consumer_timeout of 1800 s" in caplog.text
    assert link.generation == 1


async def test_a_consumer_that_the_broker_cancelled_is_started_again(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    talk.say(commands.Basic.Cancel("1", True), channel)
    assert (await talk.hears(commands.Basic.Consume)).queue == "work"
    talk.deliver(channel, 1, b"after all")
    assert (await worker.next()).message.body == b"after all"


async def test_a_queue_that_is_away_is_tried_until_it_is_back(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    answer = talk.answers.pop(commands.Basic.Consume)
    starting = asyncio.create_task(subscription.start())
    for _ in range(3):
        channel = await consuming(talk)
        talk.say(commands.Channel.Close(404, "NOT_FOUND - no queue 'work'", 60, 20), channel)
    talk.answers[commands.Basic.Consume] = answer
    await starting
    talk.deliver(await consuming(talk), 1, b"at last")
    assert (await worker.next()).message.body == b"at last"


async def test_a_pause_keeps_the_channel_and_lasts_over_a_loss(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    talk.deliver(channel, 1, b"before")
    before = await worker.next()
    await subscription.pause()
    await talk.hears(commands.Basic.Cancel)
    handle(before).ack()
    assert (await talk.hears(commands.Basic.Ack)).delivery_tag == 1
    talk.cut()
    talk = await again(server)
    await link.connection()
    await talk.hears_nothing_of(commands.Basic.Consume, 0.05)
    await subscription.resume()
    talk.deliver(await consuming(talk), 1, b"after")
    assert (await worker.next()).message.body == b"after"


@pytest.mark.parametrize("leave", ["stop", "pause"])
async def test_one_that_is_being_started_is_stopped_too(
    subscription: Subscription, link: Link, server: ScriptedServer, leave: str
) -> None:
    talk = await connected(link, server)
    answer = talk.answers.pop(commands.Basic.Consume)
    starting = asyncio.create_task(subscription.start())
    channel = await consuming(talk)
    leaving = asyncio.create_task(getattr(subscription, leave)())
    await asyncio.sleep(0.01)
    talk.say(answer(commands.Basic.Consume(queue="work", consumer_tag="1")), channel)
    await asyncio.gather(starting, leaving)
    assert (await talk.hears(commands.Basic.Cancel)).consumer_tag == "1"


async def test_what_expired_or_is_not_due_is_put_aside(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    headers: list[dict[str, Any]] = [{"gh-expires": 1}, {"gh-due": 32_503_680_000_000}, {"gh-due": 1}]
    for tag, header in enumerate(headers, 1):
        talk.deliver(channel, tag, b"%d" % tag, headers=header)
    assert (await worker.next()).message.body == b"3"
    assert worker.put_aside == [(b"1", None), (b"2", 32_503_680_000.0)]


async def test_properties_that_nobody_can_read_leave_the_bytes(
    subscription: Subscription, link: Link, server: ScriptedServer, worker: Worker
) -> None:
    talk = await connected(link, server)
    await subscription.start()
    channel = await consuming(talk)
    talk.deliver(channel, 1, b"bytes")
    await worker.next()
    talk.say(commands.Basic.Deliver("consumer of work", 2, False, "", "work"), channel)
    broken = b"\x00\x3c\x00\x00" + (5).to_bytes(8, "big") + b"\x20\x00" + b"\xff\xff\xff\xff"
    talk.write(b"\x02" + channel.to_bytes(2, "big") + len(broken).to_bytes(4, "big") + broken + b"\xce")
    talk.write(b"\x03" + channel.to_bytes(2, "big") + b"\x00\x00\x00\x05" + b"bytes" + b"\xce")
    delivery = await worker.next()
    assert (delivery.message.body, delivery.message.id, dict(delivery.message.headers)) == (b"bytes", "", {})
