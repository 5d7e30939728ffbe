"""Dead letters on RabbitMQ outlast every look at them, also where new queues are quorum queues by default."""

import asyncio
from typing import Any
from urllib.parse import quote

import pytest

from goatherd.model.dead_letter import Burial, LetterFilter, StoredLetter
from goatherd.model.message import Message
from goatherd.wiring import Ports
from scripts.servers.addresses import management
from tests.conformance.rabbitmq_store import RabbitStore

#: More looks than after which a quorum queue drops a letter that was put back each time: 20 by default.
LOOKS = 30
LETTERS = [f"letter-{n}" for n in range(3)]


def kept(letter: str) -> StoredLetter:
    burial = Burial(reason="failed", error_type="ValueError", message="no", attempts=1, failed_at=1_700_000_000.0)
    message = Message(id=f"job-of-{letter}", queue="suite", body=b'{"to":"ada"}')
    return StoredLetter(id=letter, original=message, accepted=1_600_000_000.0, burial=burial)


async def seen(ports: Ports, limit: int | None = None) -> list[str]:
    return [letter.id async for letter in ports.dead_letters.find(LetterFilter(), limit)]


def dead_queue(store: str) -> Any:
    return management().ask("GET", f"queues/{quote(store, safe='')}/suite.dead.v1")


@pytest.mark.servers
class TestLastingLetters(RabbitStore):
    async def test_the_queue_says_that_it_is_classic_whatever_the_default_is(self, store: str) -> None:
        ports = await self.open(store)
        try:
            await ports.broker.declare([])
            found = await asyncio.to_thread(dead_queue, store)
            assert (found["type"], found["arguments"]) == ("classic", {"x-queue-type": "classic"})
        finally:
            await ports.close()

    async def test_one_that_is_there_as_a_quorum_queue_keeps_its_letters(self, store: str) -> None:
        # As a former version has made it where the default was so, with the limit of brokers of today.
        path, limit = f"{quote(store, safe='')}/suite.dead.v1", {"delivery-limit": 20}
        policy = {"pattern": ".*", "apply-to": "queues", "definition": limit}
        await asyncio.to_thread(management().ask, "PUT", f"policies/{path}", policy)
        quorum = {"durable": True, "arguments": {"x-queue-type": "quorum"}}
        await asyncio.to_thread(management().ask, "PUT", f"queues/{path}", quorum)
        ports = await self.open(store)
        try:
            await ports.broker.declare([])
            letters = [kept(letter) for letter in LETTERS]
            await ports.dead_letters.keep(letters)
            for _ in range(LOOKS):
                assert sorted(await seen(ports)) == LETTERS
            # Also by looks that end at the first.
            for _ in range(LOOKS):
                await ports.dead_letters.get(LETTERS[0])
            assert sorted(await seen(ports)) == LETTERS
            found = {letter.id: letter async for letter in ports.dead_letters.find(LetterFilter())}
            assert found[LETTERS[0]].burial == letters[0].burial
            assert found[LETTERS[0]].original.body == letters[0].original.body
            assert await ports.dead_letters.discard(letters) == len(letters)
            assert await seen(ports) == []
        finally:
            await ports.close()

    async def test_one_that_is_there_and_says_no_type_stays(self, store: str) -> None:
        path = f"queues/{quote(store, safe='')}/suite.dead.v1"
        await asyncio.to_thread(management().ask, "PUT", path, {"durable": True, "arguments": {}})
        ports = await self.open(store)
        try:
            await ports.broker.declare([])
            await ports.dead_letters.keep([kept(letter) for letter in LETTERS])
            assert await seen(ports, 2) == LETTERS[:2]
            assert await seen(ports) == LETTERS
        finally:
            await ports.close()
