"""Cases: clients and subscriptions end cleanly, at any moment, once or twice."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from goatherd.model.message import Delivery
from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import Receiver, message, receiving
from goatherd.testing.suites.store import OpenBroker, declared
from goatherd.wiring import Ports

#: Where Linux lists the open files of a process.
OPEN_FILES = Path("/proc/self/fd")


class LifetimeCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_closing_twice_is_harmless(self, client: Ports, other: Ports, queue: str) -> None:
        await receiving(client, queue)
        await client.broker.close()
        await client.broker.close()
        await client.close()
        await client.close()
        await other.broker.publish([message(queue)])

    async def test_a_client_that_did_nothing_closes(self, open_broker: OpenBroker) -> None:
        await (await open_broker()).close()

    async def test_nothing_is_delivered_after_a_close(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(client, queue)
        flood = asyncio.gather(*(other.broker.publish([message(queue)]) for _ in range(50)))
        await received.next()
        await client.close()
        count = len(received.received)
        await flood
        again = await receiving(other, queue)
        await again.take(50)
        assert len(received.received) == count

    async def test_a_close_hands_back_what_is_not_settled(self, client: Ports, other: Ports, queue: str) -> None:
        received, later = await receiving(client, queue), await declared(client)
        await receiving(other, later)
        await client.broker.publish([message(queue) for _ in range(3)])
        await received.take(3)
        again = await receiving(other, queue)
        await client.close()
        assert [delivery.deaths for delivery in await again.take(3)] == [0, 0, 0]

    async def test_a_stopped_subscription_delivers_nothing_more(self, client: Ports, other: Ports, queue: str) -> None:
        received = Receiver()
        subscription = await client.broker.consume(queue, 10, received)
        await other.broker.publish([message(queue, b"before")])
        before = await received.next()
        await subscription.stop()
        await subscription.stop()
        await other.broker.publish([message(queue, b"after")])
        assert (await (await receiving(other, queue)).next()).message.body == b"after"
        await received.gets_nothing()
        client.broker.ack(before)
        await client.close()
        await (await receiving(other, queue)).gets_nothing()

    async def test_a_subscription_may_be_stopped_while_messages_pour_in(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        held: list[Delivery] = []
        arrived = asyncio.Event()

        def deliver(deliveries: Sequence[Delivery]) -> None:
            held.extend(deliveries)
            arrived.set()

        subscription = await client.broker.consume(queue, 1000, deliver)
        flood = asyncio.gather(*(other.broker.publish([message(queue)]) for _ in range(50)))
        await arrived.wait()
        await subscription.stop()
        count = len(held)
        await flood
        await client.broker.hand_back(held)
        await (await receiving(other, queue)).take(50)
        assert len(held) == count

    async def test_a_subscription_may_be_stopped_after_its_client_closed(self, client: Ports, queue: str) -> None:
        subscription = await client.broker.consume(queue, 10, Receiver())
        await client.close()
        await subscription.stop()

    async def test_a_client_may_consume_again_after_it_stopped(self, client: Ports, other: Ports, queue: str) -> None:
        subscription = await client.broker.consume(queue, 10, Receiver())
        await subscription.stop()
        received = await receiving(client, queue)
        await other.broker.publish([message(queue)])
        await received.next()

    async def test_a_closed_client_leaves_nothing_behind(
        self, store: object, open_broker: OpenBroker, queue: str
    ) -> None:
        files: list[int] = []
        for _ in range(4):
            client = await open_broker()
            received = await receiving(client, queue)
            await client.broker.publish([message(queue)])
            client.broker.ack(await received.next())
            await client.close()
            files.append(_open_files())
        # The first may leave what drivers keep for the next; from then on nothing is added.
        assert files[1:] == files[:1] * 3
        assert list(self.leftovers(store)) == []

    async def test_what_a_lost_client_left_is_cleared_away(
        self, store: object, open_broker: OpenBroker, client: Ports, queue: str
    ) -> None:
        lost = await open_broker()
        await client.broker.publish([message(queue)])
        await (await receiving(lost, queue)).next()
        await lost.vanish()
        client.broker.ack(await (await receiving(client, queue)).next())
        await client.close()
        assert list(self.leftovers(store)) == []


def _open_files() -> int:
    """How many files this process has open; always 0 where it cannot be known."""
    return len(os.listdir(OPEN_FILES)) if OPEN_FILES.exists() else 0
