import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from goatherd.desk import letter_digest, letters
from goatherd.desk.letter_digest import digest_of
from goatherd.errors import Unavailable
from goatherd.model.dead_letter import LetterFilter, StoredLetter
from goatherd.testing import Herd
from tests.unit.desk.shop import Shop


class Reads:
    """Counts how often all letters are read, and lets the test hold or break it."""

    def __init__(self, shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
        self._store = shop.app.session().ports.dead_letters
        self.count = 0
        self.open = asyncio.Event()
        self.open.set()
        self.broken: Exception | None = None
        self._find = self._store.find
        monkeypatch.setattr(self._store, "find", self.find)

    async def find(self, wanted: LetterFilter, limit: int | None = None) -> AsyncIterator[StoredLetter]:
        self.count += 1
        await self.open.wait()
        if self.broken is not None:
            raise self.broken
        async for letter in self._find(wanted, limit):
            yield letter


@pytest.fixture
async def reads(shop: Shop, herd: Herd, monkeypatch: pytest.MonkeyPatch) -> Reads:
    await shop.refuse.send(1)
    await herd.drain()
    return Reads(shop, monkeypatch)


def looking() -> list[asyncio.Task[Any]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("goatherd letter digest")]


async def test_many_who_look_read_once(shop: Shop, reads: Reads) -> None:
    found = await asyncio.gather(*(letters.letter_groups(shop.app) for _ in range(20)))
    assert {each.count for each in found} == {1}
    await letters.letters(shop.app)
    assert reads.count == 1


async def test_a_page_does_not_wait_for_a_slow_store_once_something_was_seen(
    shop: Shop, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    await letters.letters(shop.app)
    reads.open.clear()
    monkeypatch.setattr(letter_digest, "PATIENCE", 0.0)
    digest_of(shop.app).changed()
    assert (await letters.letters(shop.app)).count == 1
    reads.open.set()


async def test_it_is_read_again_only_if_there_is_something_new(
    shop: Shop, herd: Herd, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = asyncio.Event()
    store = shop.app.session().ports.dead_letters
    count = store.count

    async def counting() -> int:
        counted.set()
        return await count()

    monkeypatch.setattr(store, "count", counting)
    monkeypatch.setattr(letter_digest, "EVERY", 0.01)
    await letters.letters(shop.app)
    for _ in range(3):
        counted.clear()
        await asyncio.wait_for(counted.wait(), 30)
    assert reads.count == 1
    await shop.refuse.send(2)
    await herd.drain()
    async with asyncio.timeout(30):
        while (await letters.letters(shop.app)).count < 2:
            await asyncio.sleep(0.01)


async def test_one_who_reads_them_elsewhere_is_no_reason_to_read_them_too(
    shop: Shop, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On some brokers there seem to be none meanwhile."""
    monkeypatch.setattr(letter_digest, "EVERY", 0.01)
    monkeypatch.setattr(letter_digest, "COUNT_AGAIN_AFTER", 0.0)
    await letters.letters(shop.app)
    store, asked, looked = shop.app.session().ports.dead_letters, [0], asyncio.Event()
    count = store.count

    async def counting() -> int:
        asked[0] += 1
        if asked[0] == 4:
            looked.set()
        return 0 if asked[0] == 1 else await count()

    monkeypatch.setattr(store, "count", counting)
    await asyncio.wait_for(looked.wait(), 30)
    assert reads.count == 1


async def test_nobody_looks_when_nobody_asks_any_more(
    shop: Shop, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letter_digest, "ATTENTION", 0.05)
    monkeypatch.setattr(letter_digest, "EVERY", 0.01)
    digest = digest_of(shop.app)
    await letters.letters(shop.app)
    await asyncio.wait_for(asyncio.gather(*looking()), 30)
    assert digest.peek() is None
    assert (await letters.letters(shop.app)).count == 1


async def test_why_it_cannot_be_read_is_told_and_it_is_tried_again(
    shop: Shop, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letter_digest, "EVERY", 0.01)
    reads.broken = Unavailable("the broker is away")
    with pytest.raises(Unavailable, match="the broker is away"):
        await letters.letters(shop.app)
    assert await digest_of(shop.app).soon(5.0) is None
    reads.broken = None
    async with asyncio.timeout(30):
        while await digest_of(shop.app).soon(5.0) is None:
            await asyncio.sleep(0.01)


async def test_what_was_seen_is_shown_while_the_store_is_away(
    shop: Shop, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    await letters.letters(shop.app)
    reads.broken = Unavailable("the broker is away")
    digest_of(shop.app).changed()
    assert (await letters.letters(shop.app)).count == 1
    monkeypatch.setattr(letter_digest, "TOO_OLD", 0.0)
    with pytest.raises(Unavailable, match="the broker is away"):
        await letters.letters(shop.app)


async def test_of_very_many_the_oldest_are_seen(
    shop: Shop, herd: Herd, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    for customer in (2, 3):
        await shop.refuse.send(customer)
    await herd.drain()
    monkeypatch.setattr(letter_digest, "MOST_READ", 2)
    found = await letters.letter_groups(shop.app)
    assert (found.count, found.complete) == (2, False)
    [group] = found.groups
    assert group.message == "no customer 2"


async def test_the_task_ends_with_the_app(shop: Shop) -> None:
    from goatherd.testing import testing

    async with testing(shop.app):
        await letters.letters(shop.app)
        assert len(looking()) == 1
    assert looking() == []
