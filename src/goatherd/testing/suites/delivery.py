"""Cases: what is published is delivered, whole, in order, and no more than was asked for."""

import random
import time

import pytest

from goatherd.model.message import Headers
from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import message, receiving
from goatherd.testing.suites.store import OpenBroker, declared
from goatherd.wiring import Ports

BODIES = {
    "nothing": b"",
    "a null byte": b"\x00",
    "every byte": bytes(range(256)),
    "broken UTF-8": b"\xff\xfe\xc3\x28",
    "a line end": b"\r\n",
    "quotes": b"'\"`;--",
    "unicode": "Ziege 山羊 🐐 \u202e".encode(),
    "1 MiB of noise": random.Random(1).randbytes(1024 * 1024),
}
HEADERS: dict[str, Headers] = {
    "none": {},
    "text": {"a": "", "b": "quote ' and \"", "c": "line\nend"},
    "unicode": {"山羊": "🐐", "null": "a\x00b"},
    "whole numbers": {"zero": 0, "negative": -1, "large": 2**62, "small": -(2**62)},
    "fractions": {"tenth": 0.1, "large": 1.7e308, "time": 1767225600.123456},
    "many": {f"x-{number}": number for number in range(50)},
}


class DeliveryCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_what_one_client_publishes_another_gets(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue)
        await client.broker.publish([message(queue, b"hello")])
        assert (await received.next()).message.body == b"hello"

    async def test_a_message_waits_for_its_consumer(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        await client.broker.publish([message(queue, b"hello")])
        await client.close()
        received = await receiving(await open_broker(), queue)
        assert (await received.next()).message.body == b"hello"

    async def test_what_was_accepted_outlives_its_sender(
        self, open_broker: OpenBroker, client: Ports, queue: str
    ) -> None:
        await client.broker.publish([message(queue, b"hello")])
        await client.vanish()
        received = await receiving(await open_broker(), queue)
        assert (await received.next()).message.body == b"hello"

    async def test_one_consumer_gets_messages_in_order(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue, prefetch=3)
        wanted = [b"%d" % number for number in range(40)]
        for body in wanted:
            await client.broker.publish([message(queue, body)])
        for body in wanted:
            delivery = await received.next()
            assert delivery.message.body == body
            other.broker.ack(delivery)

    async def test_publishing_many_keeps_their_order(self, client: Ports, other: Ports, queue: str) -> None:
        wanted = [b"%d" % number for number in range(300)]
        await client.broker.publish([message(queue, body) for body in wanted])
        received = await receiving(other, queue, prefetch=1000)
        assert [delivery.message.body for delivery in await received.take(300)] == wanted

    async def test_one_publish_reaches_several_queues(self, client: Ports, other: Ports, queue: str) -> None:
        second = await declared(client)
        await client.broker.publish([message(queue, b"1"), message(second, b"2"), message(queue, b"3")])
        first_received, second_received = await receiving(other, queue), await receiving(other, second)
        assert [delivery.message.body for delivery in await first_received.take(2)] == [b"1", b"3"]
        assert (await second_received.next()).message.body == b"2"
        await first_received.gets_nothing()
        await second_received.gets_nothing()

    async def test_publishing_nothing_is_harmless(self, client: Ports) -> None:
        await client.broker.publish([])

    async def test_higher_priority_goes_first(self, client: Ports, other: Ports, queue: str) -> None:
        self.needs("priorities")
        sent = [(b"low 1", 0), (b"high 1", 9), (b"middle", 5), (b"low 2", 0), (b"high 2", 9)]
        await client.broker.publish([message(queue, body, priority=priority) for body, priority in sent])
        # One at a time, so that it is the broker that chooses.
        received = await receiving(other, queue, prefetch=1)
        for body in (b"high 1", b"high 2", b"middle", b"low 1", b"low 2"):
            delivery = await received.next()
            assert delivery.message.body == body
            other.broker.ack(delivery)

    @pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
    async def test_a_body_survives_byte_for_byte(self, client: Ports, other: Ports, queue: str, body: bytes) -> None:
        received = await receiving(other, queue)
        await client.broker.publish([message(queue, body)])
        assert (await received.next()).message.body == body

    @pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
    async def test_headers_survive(self, client: Ports, other: Ports, queue: str, headers: Headers) -> None:
        received = await receiving(other, queue)
        await client.broker.publish([message(queue, headers=headers)])
        came = (await received.next()).message.headers
        assert dict(came) == dict(headers)
        assert {name: type(value) for name, value in came.items()} == {n: type(v) for n, v in headers.items()}

    async def test_a_delivery_tells_all_of_its_message(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue)
        sent = message(queue, task="send_mail", expires=time.time() + 3600)
        before = time.time()
        await client.broker.publish([sent])
        delivery = await received.next()
        came = delivery.message
        assert (came.id, came.queue, came.task) == (sent.id, queue, "send_mail")
        assert came.expires == pytest.approx(sent.expires, abs=0.002)
        assert delivery.deaths == 0
        assert delivery.accepted == pytest.approx(before, abs=5)

    async def test_no_more_is_delivered_than_asked_for(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue, prefetch=3)
        await client.broker.publish([message(queue, b"%d" % number) for number in range(5)])
        first, *_ = await received.take(3)
        await received.gets_nothing()
        other.broker.ack(first)
        assert (await received.next()).message.body == b"3"
        await received.gets_nothing()

    async def test_each_subscription_has_its_own_limit(self, client: Ports, other: Ports, queue: str) -> None:
        second = await declared(client)
        await client.broker.publish([message(name) for name in (queue, second) for _ in range(3)])
        first_received = await receiving(other, queue, prefetch=1)
        second_received = await receiving(other, second, prefetch=2)
        await first_received.next()
        await second_received.take(2)
        await first_received.gets_nothing()
        await second_received.gets_nothing()
