"""Cases: several clients on one queue share its messages, and each message is with one of them."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from goatherd.model.message import Delivery
from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import PATIENCE, message, receiving
from goatherd.testing.suites.store import OpenBroker
from goatherd.wiring import Ports


class Crew:
    """Clients that hold what they get until all have something to do, and then settle all at once."""

    def __init__(self, expected: int) -> None:
        self.by_client: dict[int, list[str]] = {}
        self._held: list[tuple[Ports, Delivery]] = []
        self._left = expected
        self._members = 0
        self.finished = asyncio.Event()

    async def join(self, client: Ports, queue: str, prefetch: int) -> None:
        """Let one more client take part."""
        member = self._members
        self._members += 1

        def deliver(deliveries: Sequence[Delivery]) -> None:
            for delivery in deliveries:
                self.by_client.setdefault(member, []).append(delivery.message.id)
                self._held.append((client, delivery))
            self._settle()

        await client.broker.consume(queue, prefetch, deliver)

    def _settle(self) -> None:
        if len(self.by_client) < self._members:
            return
        self._left -= len(self._held)
        held, self._held = self._held, []
        for client, delivery in held:
            client.broker.ack(delivery)
        if self._left <= 0:
            self.finished.set()


class CompetitionCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_consumers_share_without_duplicates(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        crew = Crew(300)
        for _ in range(3):
            await crew.join(await open_broker(), queue, prefetch=5)
        sent = [message(queue) for _ in range(300)]
        await client.broker.publish(sent)
        async with asyncio.timeout(PATIENCE):
            await crew.finished.wait()
        seen = Counter(job for jobs in crew.by_client.values() for job in jobs)
        assert seen == Counter(one.id for one in sent)
        assert len(crew.by_client) == 3

    async def test_many_senders_lose_nothing(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        received = await receiving(client, queue, prefetch=1000)
        senders = [await open_broker() for _ in range(3)]
        sent = [message(queue) for _ in range(120)]
        await asyncio.gather(
            *(senders[number % 3].broker.publish([one]) for number, one in enumerate(sent)),
        )
        came = Counter(delivery.message.id for delivery in await received.take(120))
        assert came == Counter(one.id for one in sent)
        await received.gets_nothing()

    async def test_what_one_cannot_hold_another_gets(self, client: Ports, other: Ports, queue: str) -> None:
        first = await receiving(client, queue, prefetch=1)
        await client.broker.publish([message(queue), message(queue)])
        await first.next()
        second = await receiving(other, queue, prefetch=1)
        await second.next()
        await first.gets_nothing()

    async def test_an_idle_consumer_is_woken_by_another_client(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue, prefetch=1)
        for number in range(20):
            await client.broker.publish([message(queue, b"%d" % number)])
            delivery = await received.next()
            assert delivery.message.body == b"%d" % number
            other.broker.ack(delivery)
