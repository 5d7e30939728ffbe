"""Cases: queues are declared, counted and emptied."""

import asyncio
import time

import pytest

from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.ids import new_id
from goatherd.model.topology import Queue, QueueState
from goatherd.testing.suites.broker_features import BrokerCases
from goatherd.testing.suites.receiver import eventually, message, receiving
from goatherd.testing.suites.settling import burial
from goatherd.testing.suites.store import OpenBroker, declared
from goatherd.wiring import Ports


class TopologyCases(BrokerCases):
    """Part of `BrokerSuite`."""

    async def test_declaring_twice_is_harmless(self, client: Ports, other: Ports) -> None:
        queue = Queue(name=f"suite.{new_id()}", ttl=60)
        await client.broker.declare([queue])
        await client.broker.publish([message(queue.name, b"kept")])
        await other.broker.declare([queue, queue])
        assert (await (await receiving(other, queue.name)).next()).message.body == b"kept"

    async def test_two_declare_at_the_same_time(self, client: Ports, other: Ports) -> None:
        queues = [Queue(name=f"suite.{new_id()}") for _ in range(10)]
        await asyncio.gather(client.broker.declare(queues), other.broker.declare(queues))
        await client.broker.publish([message(queue.name) for queue in queues])

    async def test_declaring_differently_tells_both_values(self, client: Ports, other: Ports) -> None:
        queue = await declared(client, ttl=60)
        with pytest.raises(TopologyMismatch) as raised:
            await other.broker.declare([Queue(name=queue, ttl=90)])
        told = raised.value
        assert (told.kind, told.name, told.wanted, told.found) == ("queue", queue, 90, 60)
        assert queue in str(told)
        assert "ttl" in str(told)

    async def test_declaring_differently_alters_nothing(self, client: Ports, other: Ports) -> None:
        queue = await declared(client, ttl=60)
        await client.broker.publish([message(queue, b"kept")])
        with pytest.raises(TopologyMismatch):
            await other.broker.declare([Queue(name=queue)])
        await client.broker.declare([Queue(name=queue, ttl=60)])
        assert (await (await receiving(client, queue)).next()).message.body == b"kept"

    async def test_publishing_to_an_unknown_queue_tells_which_jobs_were_not_accepted(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        known, unknown = message(queue), message(f"suite.{new_id()}")
        with pytest.raises(Unavailable) as raised:
            await client.broker.publish([known, unknown])
        assert unknown.id in raised.value.jobs
        assert unknown.queue in str(raised.value)
        received = await receiving(other, queue)
        if known.id in raised.value.jobs:
            await received.gets_nothing()
        else:
            assert (await received.next()).message.id == known.id

    async def test_a_client_goes_on_after_an_unknown_queue(self, client: Ports, queue: str) -> None:
        name = f"suite.{new_id()}"
        with pytest.raises(Unavailable):
            await client.broker.publish([message(name)])
        with pytest.raises(Unavailable, match=name):
            await receiving(client, name)
        with pytest.raises(Unavailable, match=name):
            await client.operations.purge(name)
        await client.broker.declare([Queue(name=name)])
        await client.broker.publish([message(name, b"now it exists")])
        assert (await (await receiving(client, name)).next()).message.body == b"now it exists"

    async def test_an_open_broker_is_up(self, client: Ports, queue: str) -> None:
        await receiving(client, queue)
        assert client.broker.state == "up"

    async def test_queues_are_counted(self, open_broker: OpenBroker, client: Ports, other: Ports, queue: str) -> None:
        await client.broker.publish([message(queue) for _ in range(6)])
        received = await receiving(other, queue, prefetch=3)
        done, failed, _ = await received.take(3)
        other.broker.ack(done)
        await other.broker.bury(failed, burial())
        await received.take(2)
        await client.broker.publish([message(queue, due=time.time() + 60)])
        observer = await open_broker()
        await observer.broker.declare([Queue(name=queue)])
        wanted = {"ready": 1, "consumers": 1}
        wanted |= {"dead": 1} if self.features.counts_dead else {}
        wanted |= {"running": 3} if self.features.counts_running else {}
        wanted |= {"delayed": 1} if self.features.counts_delayed else {}

        async def counted() -> QueueState | None:
            state = await self._state(observer, queue)
            return state if wanted.items() <= vars(state).items() else None

        state = await eventually(counted, f"{wanted} in {queue}")
        assert not state.paused
        assert state.oldest_age is None or 0 <= state.oldest_age < 30

    async def test_an_empty_queue_counts_nothing(self, client: Ports, queue: str) -> None:
        state = await self._state(client, queue)
        assert state == QueueState(
            name=queue,
            ready=0,
            delayed=0 if self.features.counts_delayed else None,
            running=0 if self.features.counts_running else None,
            consumers=0,
            oldest_age=None,
            dead=0 if self.features.counts_dead else None,
            paused=False,
        )

    async def test_queues_are_told_by_name(self, client: Ports) -> None:
        for _ in range(3):
            await declared(client)
        names = [state.name for state in await client.operations.queues()]
        assert names == sorted(names)

    async def test_purging_drops_what_waits_and_nothing_else(self, client: Ports, other: Ports, queue: str) -> None:
        untouched = await declared(client)
        received = await receiving(other, queue, prefetch=1)
        await client.broker.publish([message(queue, b"%d" % number) for number in range(4)])
        await client.broker.publish([message(untouched, b"untouched")])
        held = await received.next()
        assert await client.operations.purge(queue) == 3
        other.broker.ack(held)
        await received.gets_nothing()
        assert (await (await receiving(other, untouched)).next()).message.body == b"untouched"

    async def test_purging_drops_what_is_delayed(self, client: Ports, other: Ports, queue: str) -> None:
        self.needs("purges_delayed")
        await client.broker.publish([message(queue, due=time.time() + 0.3)])
        assert await other.operations.purge(queue) == 1
        await (await receiving(client, queue)).gets_nothing(0.5)

    async def _state(self, client: Ports, queue: str) -> QueueState:
        [state] = [state for state in await client.operations.queues() if state.name == queue]
        return state
