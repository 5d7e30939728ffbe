"""Cases: nothing comes before its time, and nothing waits for what is due later."""

import asyncio
import random
import time

import msgspec

from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import message, receiving
from goatherd.testing.suites.store import OpenBroker
from goatherd.wiring import Ports

#: Seconds that a message may come late; brokers may be some percent late, machines are slow.
LATE = 5.0
#: Clocks of different kinds are compared here, and some brokers count in milliseconds.
EARLY = 0.002


class DelayCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_a_message_does_not_come_before_it_is_due(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue)
        due = time.time() + 0.3
        await client.broker.publish([message(queue, due=due)])
        await received.next()
        assert due - EARLY <= time.time() <= due + LATE

    async def test_a_due_time_in_the_past_means_now(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue)
        await client.broker.publish([message(queue, due=time.time() - 3600)])
        await received.next()

    async def test_a_short_delay_does_not_wait_behind_a_long_one(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue)
        now = time.time()
        await client.broker.publish([message(queue, b"long", due=now + 60)])
        await client.broker.publish([message(queue, b"short", due=now + 0.2)])
        assert (await received.next()).message.body == b"short"
        assert now + 0.2 - EARLY <= time.time() <= now + 0.2 + LATE

    async def test_a_replacement_with_a_delay_comes_when_it_is_due(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        await client.broker.publish([message(queue, b"first"), message(queue, b"second")])
        received = await receiving(other, queue)
        long, short = await received.take(2)
        now = time.time()
        await other.broker.replace(long, msgspec.structs.replace(long.message, due=now + 60))
        await other.broker.replace(short, msgspec.structs.replace(short.message, due=now + 0.2))
        assert (await received.next()).message.body == b"second"
        assert now + 0.2 - EARLY <= time.time() <= now + 0.2 + LATE

    async def test_a_delay_outlives_its_sender(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        due = time.time() + 0.3
        await client.broker.publish([message(queue, due=due)])
        await client.vanish()
        await (await receiving(await open_broker(), queue)).next()
        assert time.time() >= due - EARLY

    async def test_what_is_not_delayed_is_not_held_up(self, client: Ports, other: Ports, queue: str) -> None:
        received = await receiving(other, queue)
        await client.broker.publish([message(queue, b"later", due=time.time() + 60), message(queue, b"now")])
        assert (await received.next()).message.body == b"now"
        await received.gets_nothing()

    async def test_many_random_delays_are_never_early_and_all_come(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        chance = random.Random(7)
        received = await receiving(other, queue, prefetch=1000)
        sent = [message(queue, due=time.time() + chance.uniform(0.05, 0.8)) for _ in range(100)]
        await asyncio.gather(*(client.broker.publish([one]) for one in sent))
        came = {delivery.message.id: at for delivery, at in zip(await received.take(100), received.times, strict=True)}
        late = [came[one.id] - one.due for one in sent if one.due is not None]
        assert min(late) >= -EARLY
        assert max(late) <= LATE
