"""The suite of the records of commands: every adapter passes it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar
from uuid import uuid4

import pytest
import pytest_asyncio

from goatherd.model.command import Command, StoredCommand
from goatherd.ports.inbox import InboxRecords
from goatherd.testing.suites.uniques import Hand

HOLD = 30.0


def command(key: str, body: bytes = b'{"type": "go"}') -> Command:
    """A command of a source."""
    return Command(key=key, body=body)


def standing(one: Command, *, ours: bool = False, sent: bool = False, removed: bool = False) -> StoredCommand:
    """How a command stands."""
    body = b"" if sent else one.body
    return StoredCommand(key=one.key, body=body, digest=one.digest, sent=sent, removed=removed, ours=ours)


class InboxSuite:
    """Subclass it as Test…, give it `store` and `open(store, now)`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any, now: Callable[[], float]) -> InboxRecords:
        """A client of the store, whose time is told by `now`."""
        raise NotImplementedError

    @pytest.fixture
    def hand(self) -> Hand:
        return Hand()

    @pytest.fixture
    def inbox(self) -> str:
        return f"firebase+https://database/{uuid4().hex}"

    @pytest_asyncio.fixture
    async def records(self, store: Any, hand: Hand) -> AsyncIterator[InboxRecords]:
        opened = await self.open(store, hand)
        yield opened
        await opened.close()

    @pytest_asyncio.fixture
    async def other(self, store: Any, hand: Hand) -> AsyncIterator[InboxRecords]:
        opened = await self.open(store, hand)
        yield opened
        await opened.close()

    async def test_whoever_stores_it_first_has_it_in_hand(
        self, records: InboxRecords, other: InboxRecords, inbox: str
    ) -> None:
        a, b = command("a"), command("b", b'"\xc3\xbc \\u0000"')
        assert list(await records.store(inbox, [b, a], HOLD)) == [standing(b, ours=True), standing(a, ours=True)]
        assert list(await other.store(inbox, [a, b], HOLD)) == [standing(a), standing(b)]

    async def test_what_is_on_record_is_left_as_it_is(self, records: InboxRecords, inbox: str) -> None:
        first, second = command("a", b'{"n": 1}'), command("a", b'{"n": 2}')
        await records.store(inbox, [first], HOLD)
        assert list(await records.store(inbox, [second], HOLD)) == [standing(first)]

    async def test_a_key_that_comes_twice_at_once_is_stored_once(self, records: InboxRecords, inbox: str) -> None:
        first, second = command("a", b'{"n": 1}'), command("a", b'{"n": 2}')
        stored = await records.store(inbox, [first, second], HOLD)
        assert list(stored) == [standing(first, ours=True), standing(first)]

    async def test_inboxes_know_nothing_of_each_other(self, records: InboxRecords, inbox: str) -> None:
        a = command("a")
        await records.store(inbox, [a], HOLD)
        assert list(await records.store(f"{inbox}/2", [a], HOLD)) == [standing(a, ours=True)]

    async def test_no_commands_are_no_problem(self, records: InboxRecords, inbox: str) -> None:
        assert list(await records.store(inbox, [], HOLD)) == []
        await records.sent(inbox, [])
        await records.removed(inbox, [])
        await records.sent(inbox, ["strange"])

    async def test_what_is_left_is_taken_over_when_its_time_has_passed(
        self, records: InboxRecords, other: InboxRecords, inbox: str, hand: Hand
    ) -> None:
        those = [command(key) for key in "cab"]
        await records.store(inbox, those, HOLD)
        assert list(await other.take_over(inbox, 10, HOLD)) == []
        hand.time += HOLD + 1
        assert list(await other.take_over(inbox, 2, HOLD)) == [standing(each, ours=True) for each in those[:2]]
        assert list(await records.take_over(inbox, 2, HOLD)) == [standing(those[2], ours=True)]
        assert list(await records.take_over(inbox, 2, HOLD)) == []

    async def test_what_is_sent_and_removed_is_finished(self, records: InboxRecords, inbox: str, hand: Hand) -> None:
        sent, removed, both = (command(key) for key in ("sent", "removed", "both"))
        await records.store(inbox, [sent, removed, both], HOLD)
        for _ in range(2):
            await records.sent(inbox, ["sent", "both"])
            await records.removed(inbox, ["removed", "both"])
        hand.time += HOLD + 1
        assert list(await records.take_over(inbox, 10, HOLD)) == [
            standing(sent, ours=True, sent=True),
            standing(removed, ours=True, removed=True),
        ]
        assert list(await records.store(inbox, [both], HOLD)) == [standing(both, sent=True, removed=True)]

    async def test_only_what_is_finished_and_old_is_forgotten(
        self, records: InboxRecords, inbox: str, hand: Hand
    ) -> None:
        while await records.forget(0.0, 1000):
            continue
        old = [command(f"{number}") for number in range(5)]
        await records.store(inbox, old, HOLD)
        await records.sent(inbox, [each.key for each in old])
        await records.removed(inbox, [each.key for each in old[:4]])
        hand.time += 100
        young = command("young")
        await records.store(inbox, [young], HOLD)
        await records.sent(inbox, ["young"])
        await records.removed(inbox, ["young"])
        assert (await records.forget(50.0, 3), await records.forget(50.0, 3), await records.forget(50.0, 3)) == (
            3,
            1,
            0,
        )
        assert [each.ours for each in await records.store(inbox, [old[0], old[4], young], HOLD)] == [True, False, False]

    async def test_many_at_once_share_everything_out(
        self, records: InboxRecords, other: InboxRecords, inbox: str, hand: Hand
    ) -> None:
        keys = [f"{number}" for number in range(40)]

        async def hear(number: int) -> list[str]:
            client = records if number % 2 else other
            mine = keys if number % 3 else keys[::-1]
            stored = await client.store(inbox, [command(key) for key in mine], HOLD)
            return [each.key for each in stored if each.ours]

        async def take_over(number: int) -> list[str]:
            client = records if number % 2 else other
            return [each.key for each in await client.take_over(inbox, 9, HOLD)]

        heard = await asyncio.gather(*map(hear, range(8)))
        assert sorted(key for some in heard for key in some) == sorted(keys)
        hand.time += HOLD + 1
        taken = [key for some in await asyncio.gather(*map(take_over, range(8))) for key in some]
        while more := await records.take_over(inbox, 9, HOLD):
            taken += [each.key for each in more]
        assert sorted(taken) == sorted(keys)
