"""The suite of the records ports: what operators wish, who works, and how the store is."""

import os

import pytest

from goatherd.errors import Unavailable
from goatherd.model.ids import new_id
from goatherd.ports.records import WorkerRecord
from goatherd.testing.suites.receiver import eventually, message, receiving
from goatherd.testing.suites.store import OpenBroker, StoreSuite, declared
from goatherd.wiring import Ports


class RecordsSuite(StoreSuite):
    """Subclass it as Test… and give it `store` and `open`."""

    async def test_a_paused_queue_gives_nothing_until_it_is_resumed(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        received = await receiving(other, queue)
        await client.controls.pause(queue)
        # Workers follow within two seconds, so what is published after that shows it.
        await self._takes_nothing(other, queue)
        await client.broker.publish([message(queue, b"waits")])
        await received.gets_nothing()
        await client.controls.resume(queue)
        assert (await received.next()).message.body == b"waits"

    async def test_a_pause_holds_up_no_other_queue(self, client: Ports, other: Ports, queue: str) -> None:
        second = await declared(client)
        await client.controls.pause(queue)
        received = await receiving(other, second)
        await client.broker.publish([message(second)])
        await received.next()

    async def test_a_pause_outlives_every_client(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        await client.controls.pause(queue)
        await client.close()
        later = await open_broker()
        assert queue in await later.controls.paused()

    async def test_paused_queues_are_told(self, client: Ports, other: Ports, queue: str) -> None:
        second = await declared(client)
        await client.controls.pause(queue)
        await client.controls.pause(queue)
        await client.controls.pause(second)
        assert await other.controls.paused() >= {queue, second}
        await other.controls.resume(second)
        await other.controls.resume(second)
        assert second not in await client.controls.paused()
        [state] = [state for state in await other.operations.queues() if state.name == queue]
        assert state.paused

    async def test_a_queue_that_does_not_exist_cannot_be_paused(self, client: Ports) -> None:
        unknown = f"suite.{new_id()}"
        with pytest.raises(Unavailable, match=unknown):
            await client.controls.pause(unknown)

    async def test_workers_are_known_while_they_live(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        worker = await open_broker()
        await receiving(worker, queue)
        [record] = await self._workers_of(client, queue, 1)
        assert record.pid == os.getpid()
        assert record.host
        assert 0 <= record.silent < 30
        await worker.close()
        await self._workers_of(client, queue, 0)

    async def test_a_worker_that_vanished_is_forgotten(
        self, open_broker: OpenBroker, client: Ports, queue: str
    ) -> None:
        worker = await open_broker()
        await receiving(worker, queue)
        await receiving(client, await declared(client))
        await self._workers_of(client, queue, 1)
        await worker.vanish()
        await self._workers_of(client, queue, 0)

    async def test_workers_have_names_of_their_own(self, client: Ports, other: Ports, queue: str) -> None:
        await receiving(client, queue)
        await receiving(other, queue)
        first, second = await self._workers_of(client, queue, 2)
        assert first.id != second.id

    async def test_a_healthy_store_tells_facts(self, client: Ports) -> None:
        facts = await client.checks.check()
        assert all(facts.values())

    async def _takes_nothing(self, client: Ports, queue: str) -> None:
        async def followed() -> bool | None:
            return queue in await client.controls.paused() or None

        await eventually(followed, f"the pause of {queue}")

    async def _workers_of(self, client: Ports, queue: str, count: int) -> list[WorkerRecord]:
        async def known() -> list[WorkerRecord] | None:
            found = [worker for worker in await client.workers.workers() if queue in worker.queues]
            return found if len(found) == count else None

        return await eventually(known, f"{count} workers on {queue}")
