"""The suite of the courier's word that a caller has given up; best effort, but not silent."""

import asyncio

from goatherd.testing.suites.receipts import post
from goatherd.testing.suites.receiver import PATIENCE, Receiver, message, receiving
from goatherd.testing.suites.store import StoreSuite, declared
from goatherd.wiring import Ports


class Ear:
    """Hears which calls are called off."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    def __call__(self, job_id: str) -> None:
        self.heard.put_nowait(job_id)

    async def next(self) -> str:
        """The next one."""
        async with asyncio.timeout(PATIENCE):
            return await self.heard.get()


async def given_up(caller: Ports, worker: Ports, queue: str) -> str:
    """A request that the worker holds when its caller gives up; returns its id."""
    received = await receiving(worker, queue)
    replies = await caller.courier.listen_for_replies(Receiver(), exclusive=False)
    asked = message(queue, b"?", reply_to=replies.queue)
    assert await post(caller, asked) is None
    await received.next()
    caller.courier.call_off(queue, asked.id)
    return asked.id


class CallOffsSuite(StoreSuite):
    """Subclass it as Test…, give it `store` and `open`."""

    async def test_the_worker_that_holds_a_request_hears_of_it(self, client: Ports, other: Ports, queue: str) -> None:
        ear = Ear()
        await other.courier.hear_call_offs([queue], ear)
        assert await given_up(client, other, queue) == await ear.next()

    async def test_a_worker_of_another_queue_hears_nothing(self, client: Ports, other: Ports, queue: str) -> None:
        elsewhere = await declared(client)
        ear, far_away = Ear(), Ear()
        await other.courier.hear_call_offs([queue], ear)
        await client.courier.hear_call_offs([elsewhere], far_away)
        await given_up(client, other, queue)
        await ear.next()
        assert far_away.heard.empty()

    async def test_after_stop_nothing_is_heard(self, client: Ports, other: Ports, queue: str) -> None:
        deaf, ear = Ear(), Ear()
        listening = await other.courier.hear_call_offs([queue], deaf)
        await other.courier.hear_call_offs([queue], ear)
        await listening.stop()
        await listening.stop()
        await given_up(client, other, queue)
        await ear.next()
        assert deaf.heard.empty()

    async def test_all_workers_of_one_process_hear_of_it(self, client: Ports, other: Ports, queue: str) -> None:
        first, second = Ear(), Ear()
        await other.courier.hear_call_offs([queue], first)
        await other.courier.hear_call_offs([queue], second)
        asked = await given_up(client, other, queue)
        assert (await first.next(), await second.next()) == (asked, asked)

    async def test_workers_hear_of_a_request_that_is_not_with_the_broker(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        # It waits in a lane, or a worker has it from there.
        ear = Ear()
        await receiving(other, queue)
        await other.courier.hear_call_offs([queue], ear)
        client.courier.call_off(queue, "in a lane")
        assert await ear.next() == "in a lane"

    async def test_what_nobody_knows_is_called_off_in_silence(self, client: Ports, queue: str) -> None:
        client.courier.call_off(queue, "no such job")
        assert (await client.operations.queues())[0].ready == 0
