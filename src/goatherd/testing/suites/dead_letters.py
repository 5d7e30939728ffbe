"""The suite of the store of dead letters, which lives with the broker."""

import asyncio
import time

import msgspec
import pytest

from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import LetterFilter, StoredLetter
from goatherd.model.ids import new_id
from goatherd.model.message import Message
from goatherd.testing.suites.kept_letters import KeptLetterCases
from goatherd.testing.suites.receiver import Receiver, all_letters, letters_of, message, receiving
from goatherd.testing.suites.settling import burial
from goatherd.testing.suites.store import OpenBroker, declared
from goatherd.wiring import Ports


class DeadLettersSuite(KeptLetterCases):
    """Subclass it as Test… and give it `store` and `open`."""

    async def test_letters_are_found_oldest_first(self, client: Ports, other: Ports, queue: str) -> None:
        await self._bury(client, [message(queue, b"%d" % number) for number in range(5)])
        found = await letters_of(other, queue, 5)
        assert [letter.original.body for letter in found] == [b"0", b"1", b"2", b"3", b"4"]
        assert len({letter.id for letter in found}) == 5

    async def test_a_limit_is_kept(self, client: Ports, queue: str) -> None:
        await self._bury(client, [message(queue, b"%d" % number) for number in range(5)])
        await letters_of(client, queue, 5)
        found = [letter async for letter in client.dead_letters.find(LetterFilter(queue=queue), 2)]
        assert [letter.original.body for letter in found] == [b"0", b"1"]
        assert [letter async for letter in client.dead_letters.find(LetterFilter(queue=queue), 0)] == []

    async def test_very_many_are_found_each_once(self, client: Ports, queue: str) -> None:
        count = 1100
        await self._bury(client, [message(queue, b"%d" % number) for number in range(count)])
        found = await letters_of(client, queue, count)
        assert [int(letter.original.body) for letter in found] == list(range(count))

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            ({"task": "mail"}, [b"mail timed out", b"mail refused"]),
            ({"error": "timeout"}, [b"mail timed out", b"report timed out"]),
            ({"error": "NO ANSWER"}, [b"mail timed out", b"report timed out"]),
            ({"task": "mail", "error": "timeout"}, [b"mail timed out"]),
            ({"task": "nobody"}, []),
            ({"error": "100%"}, []),
        ],
    )
    async def test_letters_are_filtered(
        self, client: Ports, queue: str, wanted: dict[str, str], expected: list[bytes]
    ) -> None:
        late, refused = ("TimeoutError", "no answer within 5 s"), ("PermissionError", "not allowed")
        for task, (kind, text), body in (
            ("mail", late, b"mail timed out"),
            ("mail", refused, b"mail refused"),
            ("report", late, b"report timed out"),
        ):
            await self._bury(client, [message(queue, body, task=task)], kind, text)
        await letters_of(client, queue, 3)
        found = client.dead_letters.find(LetterFilter(queue=queue, task=wanted.get("task"), error=wanted.get("error")))
        assert [letter.original.body async for letter in found] == expected

    async def test_letters_are_filtered_by_queue_and_age(self, client: Ports, queue: str) -> None:
        second = await declared(client)
        await self._bury(client, [message(queue), message(second)])
        [letter] = await letters_of(client, queue)
        failed = letter.burial.failed_at
        for before, count in ((failed + 1, 1), (failed - 1, 0)):
            wanted = LetterFilter(queue=queue, failed_before=before)
            assert len([found async for found in client.dead_letters.find(wanted)]) == count

    async def test_one_letter_is_found_by_its_id(self, client: Ports, other: Ports, queue: str) -> None:
        await self._bury(client, [message(queue, b"this"), message(queue, b"that")])
        letter, _ = await letters_of(client, queue, 2)
        assert await other.dead_letters.get(letter.id) == letter

    async def test_an_unknown_letter_is_told(self, client: Ports) -> None:
        unknown = new_id()
        with pytest.raises(UnknownJob, match=unknown):
            await client.dead_letters.get(unknown)

    async def test_a_replayed_letter_is_a_message_again(self, client: Ports, other: Ports, queue: str) -> None:
        await self._bury(client, [message(queue, b"as it was", task="mail", headers={"x": "y"})])
        [letter] = await letters_of(client, queue)
        received = await receiving(other, queue)
        assert await client.dead_letters.replay([(letter, letter.original)]) == 1
        delivery = await received.next()
        came = delivery.message
        assert (came.id, came.body, came.task) == (letter.original.id, b"as it was", "mail")
        assert dict(came.headers) == {"x": "y"}
        assert delivery.deaths == 0
        assert await all_letters(client, queue) == []

    async def test_a_letter_may_be_replayed_changed_and_elsewhere(
        self, client: Ports, other: Ports, queue: str
    ) -> None:
        second = await declared(client)
        await self._bury(client, [message(queue, b"wrong")])
        [letter] = await letters_of(client, queue)
        changed = msgspec.structs.replace(letter.original, queue=second, body=b"right")
        await client.dead_letters.replay([(letter, changed)])
        assert (await (await receiving(other, second)).next()).message.body == b"right"

    async def test_a_letter_is_replayed_once_however_many_try(self, client: Ports, other: Ports, queue: str) -> None:
        await self._bury(client, [message(queue) for _ in range(20)])
        pairs = _unchanged(await letters_of(client, queue, 20))
        replayed = await asyncio.gather(client.dead_letters.replay(pairs), other.dead_letters.replay(pairs))
        assert sum(replayed) == 20
        received = await receiving(other, queue)
        assert len({delivery.message.id for delivery in await received.take(20)}) == 20
        await received.gets_nothing()
        assert await client.dead_letters.replay(pairs) == 0

    async def test_discarded_letters_are_gone(self, client: Ports, other: Ports, queue: str) -> None:
        await self._bury(client, [message(queue, b"%d" % number) for number in range(3)])
        first, second, third = await letters_of(client, queue, 3)
        assert await client.dead_letters.discard([first, third]) == 2
        assert await other.dead_letters.discard([first, third]) == 0
        assert await all_letters(other, queue) == [second]
        with pytest.raises(UnknownJob):
            await other.dead_letters.get(first.id)

    async def test_letters_outlive_every_client(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        await self._bury(client, [message(queue, b"kept")])
        await client.vanish()
        [letter] = await letters_of(await open_broker(), queue)
        assert letter.original.body == b"kept"

    async def test_the_same_job_may_die_twice(self, client: Ports, queue: str) -> None:
        sent = message(queue)
        await self._bury(client, [sent, sent])
        first, second = await letters_of(client, queue, 2)
        assert first.id != second.id
        assert first.original.id == second.original.id

    async def _bury(
        self, client: Ports, messages: list[Message], error_type: str = "ValueError", text: str = "no luck"
    ) -> None:
        await client.broker.publish(messages)
        for queue in dict.fromkeys(one.queue for one in messages):
            count = sum(one.queue == queue for one in messages)
            received = Receiver()
            subscription = await client.broker.consume(queue, count, received)
            why = msgspec.structs.replace(burial(text), error_type=error_type, failed_at=time.time())
            for delivery in await received.take(count):
                await client.broker.bury(delivery, why)
            await subscription.stop()


def _unchanged(letters: list[StoredLetter]) -> list[tuple[StoredLetter, Message]]:
    return [(letter, letter.original) for letter in letters]
