"""Cases: what cannot be done becomes a dead letter, with its bytes and the reason, and somebody is told."""

import json
import time

import pytest

from goatherd.model.ids import new_id
from goatherd.model.message import Message
from goatherd.model.topology import Queue
from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import all_letters, letters_of, message, receiving
from goatherd.testing.suites.settling import burial
from goatherd.testing.suites.store import OpenBroker, declared
from goatherd.wiring import Ports


class BurialCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_a_buried_message_is_a_dead_letter_with_bytes_and_reason(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        sent = message(queue, b"\xff\x00 whole", headers={"gh-failures": 3, "x": "山羊"}, task="send_mail")
        await client.broker.publish([sent])
        why = burial("no luck 🐐", reason="gave_up", traceback="line 1\nline 2")
        received = await receiving(client, queue)
        delivery = await received.next()
        await client.broker.bury(delivery, why)
        [letter] = await letters_of(other, queue)
        assert (letter.original.id, letter.original.queue, letter.original.task) == (sent.id, queue, "send_mail")
        assert letter.original.body == sent.body
        assert dict(letter.original.headers) == dict(sent.headers)
        assert (letter.burial.reason, letter.burial.error_type) == ("gave_up", "ValueError")
        assert (letter.burial.message, letter.burial.traceback) == ("no luck 🐐", "line 1\nline 2")
        assert letter.burial.attempts == 4
        assert letter.burial.failed_at == pytest.approx(why.failed_at, abs=0.002)
        assert letter.accepted == pytest.approx(delivery.accepted, abs=0.002)

    async def test_a_buried_message_is_not_delivered_again(
        self, open_broker: OpenBroker, client: Ports, other: Ports, queue: str
    ) -> None:
        await client.broker.publish([message(queue)])
        await client.broker.bury(await (await receiving(client, queue)).next(), burial())
        await client.vanish()
        await (await receiving(other, queue)).gets_nothing()
        assert len(await all_letters(await open_broker(), queue)) == 1

    async def test_a_message_that_expired_is_never_delivered(self, client: Ports, other: Ports, queue: str) -> None:
        sent = message(queue, b"too late", headers={"gh-failures": 2}, task="mail", expires=time.time() - 1)
        await client.broker.publish([sent, message(queue, b"in time", expires=time.time() + 60)])
        received = await receiving(other, queue)
        assert (await received.next()).message.body == b"in time"
        await self._expired(client, sent)
        await received.gets_nothing()

    async def test_a_message_expires_while_a_consumer_waits(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue, prefetch=1)
        await client.broker.publish([message(queue, b"holds the only place")])
        holding = await received.next()
        sent = message(queue, b"too late", expires=time.time() + 0.3)
        await client.broker.publish([sent])
        await self._expired(client, sent)
        other.broker.ack(holding)
        await received.gets_nothing()

    async def test_a_message_that_expires_before_it_is_due_is_never_delivered(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = await receiving(other, queue)
        sent = message(queue, due=time.time() + 0.4, expires=time.time() + 0.1)
        await client.broker.publish([sent])
        await self._expired(client, sent)
        await received.gets_nothing()

    async def test_a_queue_limits_how_long_a_message_waits(self, client: Ports, other: Ports) -> None:
        queue = await declared(client, ttl=0.3)
        received = await receiving(other, queue, prefetch=1)
        await client.broker.publish([message(queue, b"holds the only place")])
        holding = await received.next()
        sent = message(queue, b"waits for too long")
        await client.broker.publish([sent])
        await self._expired(client, sent)
        other.broker.ack(holding)
        await received.gets_nothing()

    async def test_a_queues_limit_on_waiting_is_no_limit_on_working(self, client: Ports, other: Ports) -> None:
        queue = await declared(client, ttl=60)
        received = await receiving(other, queue)
        await client.broker.publish([message(queue)])
        assert (await received.next()).message.expires is None

    async def test_a_full_queue_pushes_the_oldest_out(self, client: Ports, other: Ports) -> None:
        self.needs("length_limit")
        queue = await declared(client, max_length=2)
        await client.broker.publish([message(queue, b"%d" % number) for number in range(4)])
        letters = await letters_of(other, queue, 2)
        assert [(letter.original.body, letter.burial.reason) for letter in letters] == [
            (b"0", "rejected"),
            (b"1", "rejected"),
        ]
        received = await receiving(other, queue)
        assert [delivery.message.body for delivery in await received.take(2)] == [b"2", b"3"]

    async def test_a_burial_is_announced(self, client: Ports, other: Ports) -> None:
        announcements = await declared(client)
        queue = await declared(client, announces_to=announcements)
        told = await receiving(other, announcements)
        received = await receiving(client, queue)
        await client.broker.publish([message(queue)])
        await client.broker.bury(await received.next(), burial())
        announced = await told.next()
        [letter] = await letters_of(other, queue)
        assert json.loads(announced.message.body) == {"letter": letter.id}

    async def test_an_expiry_is_announced(self, client: Ports, other: Ports) -> None:
        announcements = await declared(client)
        queue = await declared(client, announces_to=announcements)
        told = await receiving(other, announcements)
        await receiving(client, queue)
        await client.broker.publish([message(queue, due=time.time() + 60, expires=time.time() + 0.1)])
        announced = await told.next()
        [letter] = await letters_of(other, queue)
        assert json.loads(announced.message.body) == {"letter": letter.id}

    @pytest.mark.parametrize("listener_first", [True, False])
    async def test_programs_that_listen_and_that_do_not_share_a_queue(
        self, client: Ports, other: Ports, listener_first: bool
    ) -> None:
        announcements = await declared(client)
        name = f"suite.{new_id()}"
        listening, deaf = Queue(name=name, announces_to=announcements), Queue(name=name)
        for queue in (listening, deaf) if listener_first else (deaf, listening):
            await client.broker.declare([queue])
        received = await receiving(other, name)
        await other.broker.publish([message(name)])
        await other.broker.bury(await received.next(), burial())
        await (await receiving(client, announcements)).next()

    async def _expired(self, client: Ports, sent: Message) -> None:
        """One dead letter: this message, expired."""
        [letter] = await letters_of(client, sent.queue)
        assert (letter.original.id, letter.original.body) == (sent.id, sent.body)
        assert dict(letter.original.headers) == dict(sent.headers)
        assert (letter.burial.reason, letter.burial.attempts) == ("expired", sent.headers.get("gh-failures", 0))
