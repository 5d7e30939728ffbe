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


class CallOffsSuite(StoreSuite):
    """Subclass it as Test…, give it `store` and `open`."""

    async def test_the_worker_that_holds_a_request_hears_of_it(self, client: Ports, other: Ports, queue: str) -> None:
        ear = Ear()
        await other.courier.hear_call_offs([queue], ear)
        received = await receiving(other, queue)
        replies = await client.courier.listen_for_replies(Receiver(), exclusive=False)
        asked = message(queue, b"?", reply_to=replies.queue)
        assert await post(client, asked) is None
        await received.next()
        client.courier.call_off(queue, asked.id)
        assert await ear.next() == asked.id

    async def test_a_worker_of_another_queue_hears_nothing(self, client: Ports, other: Ports, queue: str) -> None:
        elsewhere = await declared(client)
        ear, far_away = Ear(), Ear()
        await other.courier.hear_call_offs([queue], ear)
        await client.courier.hear_call_offs([elsewhere], far_away)
        received = await receiving(other, queue)
        replies = await client.courier.listen_for_replies(Receiver(), exclusive=False)
        asked = message(queue, b"?", reply_to=replies.queue)
        assert await post(client, asked) is None
        await received.next()
        client.courier.call_off(queue, asked.id)
        await ear.next()
        assert far_away.heard.empty()

    async def test_after_stop_nothing_is_heard(self, client: Ports, other: Ports, queue: str) -> None:
        deaf, ear = Ear(), Ear()
        listening = await other.courier.hear_call_offs([queue], deaf)
        await listening.stop()
        await other.courier.hear_call_offs([queue], ear)
        received = await receiving(other, queue)
        replies = await client.courier.listen_for_replies(Receiver(), exclusive=False)
        asked = message(queue, b"?", reply_to=replies.queue)
        assert await post(client, asked) is None
        await received.next()
        client.courier.call_off(queue, asked.id)
        await ear.next()
        assert deaf.heard.empty()

    async def test_what_nobody_knows_is_called_off_in_silence(self, client: Ports, queue: str) -> None:
        client.courier.call_off(queue, "no such job")
        assert (await client.operations.queues())[0].ready == 0
