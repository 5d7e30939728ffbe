"""Cases: dead letters that come from elsewhere, from a job that never was with this broker."""

import json
import time

import msgspec
import pytest

from goatherd.errors import UnknownJob
from goatherd.model.dead_letter import StoredLetter
from goatherd.model.ids import new_id
from goatherd.testing.suites.receiver import all_letters, eventually, letters_of, message, receiving
from goatherd.testing.suites.settling import burial
from goatherd.testing.suites.store import OpenBroker, StoreSuite, declared
from goatherd.wiring import Ports


class KeptLetterCases(StoreSuite):
    """Part of `DeadLettersSuite`."""

    async def test_a_kept_letter_is_as_it_was(self, client: Ports, other: Ports, queue: str) -> None:
        sent = message(queue, b"\xff\x00 whole", task="mail", priority=3, headers={"gh-lane": "mail/to=a", "n": 2})
        why = burial("no luck 🐐", reason="gave_up", traceback="line 1\nline 2")
        await client.dead_letters.keep([_letter(sent.queue, original=sent, burial=why)])
        [found] = await letters_of(other, queue)
        assert (found.original.id, found.original.queue, found.original.task) == (sent.id, queue, "mail")
        assert (found.original.body, found.original.priority) == (sent.body, 3)
        assert dict(found.original.headers) == dict(sent.headers)
        assert msgspec.structs.replace(found.burial, failed_at=why.failed_at) == why
        assert found.burial.failed_at == pytest.approx(why.failed_at, abs=0.002)
        assert found.accepted == pytest.approx(1_700_000_000.25, abs=0.002)

    async def test_it_is_found_by_its_id(self, client: Ports, other: Ports, queue: str) -> None:
        letter = _letter(queue)
        await client.dead_letters.keep([letter])
        assert (await other.dead_letters.get(letter.id)).original.id == letter.original.id

    async def test_many_are_kept_in_order(self, client: Ports, other: Ports, queue: str) -> None:
        letters = [_letter(queue) for _ in range(250)]
        await client.dead_letters.keep(letters)
        assert [found.id for found in await letters_of(other, queue, 250)] == [letter.id for letter in letters]

    async def test_they_are_counted(self, client: Ports, other: Ports, queue: str) -> None:
        before = await client.dead_letters.count()
        letters = [_letter(queue) for _ in range(3)]
        await client.dead_letters.keep(letters)
        await self._are_counted(other, before + 3)
        await client.dead_letters.discard(letters[:2])
        await self._are_counted(other, before + 1)

    @staticmethod
    async def _are_counted(ports: Ports, expected: int) -> None:
        async def enough() -> bool | None:
            return await ports.dead_letters.count() == expected or None

        await eventually(enough, f"{expected} dead letters in all")

    async def test_keeping_nothing_is_nothing(self, client: Ports, queue: str) -> None:
        await client.dead_letters.keep([])
        assert await all_letters(client, queue) == []

    async def test_its_queue_need_not_exist(self, client: Ports, other: Ports, queue: str) -> None:
        letter = _letter(f"suite.{new_id()}")
        await client.dead_letters.keep([letter])
        assert [found.id for found in await letters_of(other, letter.original.queue)] == [letter.id]
        assert await client.dead_letters.discard([letter]) == 1

    async def test_it_outlives_who_brought_it(self, open_broker: OpenBroker, client: Ports, queue: str) -> None:
        letter = _letter(queue)
        await client.dead_letters.keep([letter])
        await client.vanish()
        assert [found.id for found in await all_letters(await open_broker(), queue)] == [letter.id]

    async def test_one_that_is_kept_twice_is_one(self, client: Ports, other: Ports, queue: str) -> None:
        letter, after = _letter(queue), _letter(queue)
        await client.dead_letters.keep([letter])
        await other.dead_letters.keep([letter, after, letter])
        assert [found.id for found in await letters_of(client, queue, 2)] == [letter.id, after.id]

    async def test_one_that_is_kept_twice_is_discarded_as_one(self, client: Ports, other: Ports, queue: str) -> None:
        letter, after = _letter(queue), _letter(queue)
        for bringer in (client, other):
            await bringer.dead_letters.keep([letter, after])
        assert await client.dead_letters.discard([letter]) == 1
        assert [found.id for found in await all_letters(other, queue)] == [after.id]
        with pytest.raises(UnknownJob):
            await other.dead_letters.get(letter.id)

    async def test_one_that_is_kept_twice_is_replayed_once(self, client: Ports, other: Ports, queue: str) -> None:
        letter = _letter(queue)
        for bringer in (client, other):
            await bringer.dead_letters.keep([letter])
        assert await client.dead_letters.replay([(letter, letter.original)]) == 1
        assert await all_letters(other, queue) == []
        received = await receiving(other, queue)
        assert (await received.next()).message.id == letter.original.id
        await received.gets_nothing()

    async def test_nobody_waits_for_it_and_it_does_not_expire(self, client: Ports, other: Ports, queue: str) -> None:
        asked = message(queue, reply_to="somebody", correlation_id="question", expires=time.time() - 5, due=time.time())
        await client.dead_letters.keep([_letter(queue, original=asked)])
        [found] = await letters_of(other, queue)
        original = found.original
        assert (original.reply_to, original.correlation_id) == ("", "")
        assert (original.expires, original.due) == (None, None)

    async def test_it_is_announced(self, client: Ports, other: Ports) -> None:
        announcements = await declared(client)
        queue = await declared(client, announces_to=announcements)
        told = await receiving(other, announcements)
        letter = _letter(queue)
        await client.dead_letters.keep([letter])
        announced = await told.next()
        assert json.loads(announced.message.body) == {"letter": letter.id}
        assert (await other.dead_letters.get(letter.id)).original.id == letter.original.id


def _letter(queue: str, **properties: object) -> StoredLetter:
    told = {"original": message(queue), "accepted": 1_700_000_000.25, "burial": burial(), **properties}
    return StoredLetter(id=new_id(), **told)  # type: ignore[arg-type]
