"""Cases: a delivery is settled once and for good, in one of four ways."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
import pytest

from goatherd.model.dead_letter import Burial
from goatherd.model.message import Delivery
from goatherd.ports.broker import Broker
from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import Receiver, all_letters, message, receiving
from goatherd.testing.suites.store import OpenBroker, declared
from goatherd.wiring import Ports

Settle: TypeAlias = Callable[[Broker, Delivery], Awaitable[None]]


def burial(message: str = "no luck", **properties: str) -> Burial:
    """Why a case gives a message up."""
    told = {"reason": "failed", "error_type": "ValueError", "message": message, **properties}
    return msgspec.convert({**told, "attempts": 4, "failed_at": time.time()}, Burial)


async def ack(broker: Broker, delivery: Delivery) -> None:
    broker.ack(delivery)


async def hand_back(broker: Broker, delivery: Delivery) -> None:
    await broker.hand_back([delivery])


async def replace(broker: Broker, delivery: Delivery) -> None:
    await broker.replace(delivery, msgspec.structs.replace(delivery.message, body=b"replaced", due=time.time() + 60))


async def bury(broker: Broker, delivery: Delivery) -> None:
    await broker.bury(delivery, burial())


WAYS = {"ack": ack, "hand back": hand_back, "replace": replace, "bury": bury}


class SettlingCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_an_ack_is_final(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        await client.broker.publish([message(queue, b"done"), message(queue, b"next")])
        received = await receiving(client, queue, prefetch=1)
        client.broker.ack(await received.next())
        # The next delivery shows that the ack has arrived: the client may hold one only.
        await received.next()
        await client.close()
        again = await receiving(await open_broker(), queue)
        assert (await again.next()).message.body == b"next"
        await again.gets_nothing()

    async def test_acks_go_out_before_a_client_closes(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        await client.broker.publish([message(queue) for _ in range(20)])
        received = await receiving(client, queue)
        for delivery in await received.take(20):
            client.broker.ack(delivery)
        await client.close()
        await (await receiving(await open_broker(), queue)).gets_nothing()

    async def test_what_is_handed_back_goes_to_another_at_once(self, client: Ports, other: Ports, queue: str) -> None:
        received = Receiver()
        subscription = await client.broker.consume(queue, 10, received)
        await client.broker.publish([message(queue, b"1"), message(queue, b"2")])
        deliveries = await received.take(2)
        await subscription.stop()
        taken = await receiving(other, queue)
        started = time.monotonic()
        await client.broker.hand_back(deliveries)
        again = await taken.take(2)
        assert time.monotonic() - started < 5
        assert [(delivery.message.body, delivery.deaths) for delivery in again] == [(b"1", 0), (b"2", 0)]

    async def test_code_that_ended_before_the_hand_back_is_no_death(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = Receiver()
        subscription = await client.broker.consume(queue, 10, received)
        await client.broker.publish([message(queue)])
        delivery = await received.next()
        client.broker.begin(delivery)
        client.broker.end(delivery)
        await subscription.stop()
        await client.broker.hand_back([delivery])
        assert (await (await receiving(other, queue)).next()).deaths == 0

    async def test_a_replacement_comes_instead(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(client, queue, prefetch=1)
        sent = message(queue, b"first", headers={"gh-failures": 0, "kept": "yes"}, task="mail")
        await other.broker.publish([sent])
        delivery = await received.next()
        following = msgspec.structs.replace(sent, body=b"second", headers={"gh-failures": 1, "kept": "yes"})
        await client.broker.replace(delivery, following)
        again = await received.next()
        assert again.message.body == b"second"
        assert dict(again.message.headers) == {"gh-failures": 1, "kept": "yes"}
        assert (again.message.id, again.message.task) == (sent.id, "mail")
        client.broker.ack(again)
        await received.gets_nothing()

    async def test_a_replacement_may_go_to_another_queue(self, client: Ports, other: Ports, queue: str) -> None:
        second = await declared(client)
        received, elsewhere = await receiving(client, queue), await receiving(other, second)
        await client.broker.publish([message(queue, b"moved")])
        delivery = await received.next()
        await client.broker.replace(delivery, msgspec.structs.replace(delivery.message, queue=second))
        came = await elsewhere.next()
        assert (came.message.body, came.message.queue) == (b"moved", second)
        await received.gets_nothing()

    @pytest.mark.parametrize("settle", WAYS.values(), ids=WAYS)
    async def test_settling_makes_room_for_the_next(
        self, client: Ports, other: Ports, queue: str, settle: Settle
    ) -> None:
        received = await receiving(client, queue, prefetch=1)
        await other.broker.publish([message(queue, b"1"), message(queue, b"2")])
        await settle(client.broker, await received.next())
        # What is handed back may come again first; either way the limit of one must not stop what follows.
        following = await received.next()
        if following.message.body == b"1":
            client.broker.ack(following)
            following = await received.next()
        assert following.message.body == b"2"

    @pytest.mark.parametrize("settle", WAYS.values(), ids=WAYS)
    async def test_a_late_word_about_a_lost_delivery_changes_nothing(
        self, store: object, client: Ports, other: Ports, queue: str, settle: Settle
    ) -> None:
        self.needs("cuts_off")
        await client.broker.publish([message(queue, b"precious")])
        first = Receiver()
        subscription = await client.broker.consume(queue, 1, first)
        lost = await first.next()
        await subscription.stop()
        received = await receiving(other, queue)
        await self.cut_off(store)
        again = await received.next()
        assert again.message.body == b"precious"
        await settle(client.broker, lost)
        # An ack goes out in its own time; a message of its own shows that this time has passed.
        await self._client_is_heard_again(client)
        await received.gets_nothing()
        assert await all_letters(client, queue) == []
        await other.close()
        back = await receiving(client, queue)
        assert (await back.next()).message.body == b"precious"

    async def test_many_settle_at_the_same_time(self, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue, b"%d" % number) for number in range(40)])
        received = await receiving(client, queue)
        deliveries = await received.take(40)
        ways = list(WAYS.values())
        settling = [ways[number % 4](client.broker, delivery) for number, delivery in enumerate(deliveries)]
        await asyncio.gather(*settling)
        back = await received.take(10)
        assert sorted(int(delivery.message.body) for delivery in back) == list(range(1, 40, 4))
        assert len(await all_letters(client, queue)) == 10

    async def _client_is_heard_again(self, client: Ports) -> None:
        queue = await declared(client)
        await client.broker.publish([message(queue, b"1"), message(queue, b"2")])
        received = await receiving(client, queue, prefetch=1)
        client.broker.ack(await received.next())
        client.broker.ack(await received.next())
