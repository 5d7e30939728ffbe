"""The suite of the records of listeners: every adapter passes it."""

from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from goatherd.model.listener import Condition, ListenerRow, Standing
from goatherd.ports.listeners import ListenerRecords

ALIVE = 60.0


class Hand:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.time = 1_700_000_000.0

    def __call__(self) -> float:
        return self.time


def row(
    process: str, queue: str, condition: Condition = "running", *, pattern: str = "q-{}", **more: Any
) -> ListenerRow:
    """A listener of a process."""
    standing = Standing(condition=condition, since=1_600_000_000.5, **more)
    return ListenerRow(process=process, pattern=pattern, queue=queue, standing=standing)


class ListenerRecordsSuite:
    """Subclass it as Test…, give it `store` and `open(store, now)`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    async def open(self, store: Any, now: Callable[[], float]) -> ListenerRecords:
        """A client of the store, whose time is told by `now`."""
        raise NotImplementedError

    @pytest.fixture
    def hand(self) -> Hand:
        return Hand()

    @pytest_asyncio.fixture
    async def records(self, store: Any, hand: Hand) -> AsyncIterator[ListenerRecords]:
        opened = await self.open(store, hand)
        yield opened
        await opened.close()

    async def test_what_was_reported_is_found(self, records: ListenerRecords) -> None:
        told = [
            row("a", "q-1", restarts=2, last_delivery=1_600_000_001.25),
            row("a", "q-2", "quarantined", failures=5, why="exclusive use by another: é"),
        ]
        assert list(await records.report("a", told, [], ALIVE)) == []
        assert list(await records.find()) == [told[1], told[0]]

    async def test_a_later_report_takes_the_place_of_an_earlier_one(self, records: ListenerRecords) -> None:
        await records.report("a", [row("a", "q-1", "down", why="gone"), row("a", "q-2")], [], ALIVE)
        await records.report("a", [row("a", "q-1", restarts=1)], [], ALIVE)
        assert list(await records.find()) == [row("a", "q-1", restarts=1), row("a", "q-2")]

    async def test_those_that_are_gone_are_forgotten(self, records: ListenerRecords) -> None:
        await records.report("a", [row("a", "q-1"), row("a", "q-2")], [], ALIVE)
        await records.report("b", [row("b", "q-1")], [], ALIVE)
        await records.report("a", [], ["q-1", "q-9"], ALIVE)
        assert list(await records.find()) == [row("b", "q-1"), row("a", "q-2")]

    async def test_it_is_found_by_pattern_and_by_health(self, records: ListenerRecords) -> None:
        told = [
            row("a", "q-1"),
            row("a", "q-2", "down"),
            row("a", "r", "paused", pattern="{}"),
            row("a", "q-3", "starting"),
        ]
        await records.report("a", told, [], ALIVE)
        assert [found.queue for found in await records.find(pattern="q-{}")] == ["q-2", "q-3", "q-1"]
        assert [found.queue for found in await records.find(unhealthy=True)] == ["q-2", "q-3"]
        assert [found.queue for found in await records.find(limit=3)] == ["q-2", "q-3", "q-1"]
        assert not await records.find(pattern="q-%")

    async def test_a_process_that_was_not_heard_of_is_forgotten(self, records: ListenerRecords, hand: Hand) -> None:
        await records.report("a", [row("a", "q-1")], [], ALIVE)
        hand.time += 25
        await records.report("b", [row("b", "q-1")], [], ALIVE)
        [first, second] = await records.find()
        assert (first.process, second.process) == ("a", "b")
        assert (first.silent, second.silent) == (25.0, 0.0)
        hand.time += 36
        assert [found.process for found in await records.find()] == ["b"]
        assert await records.restart("q-1") == 1
        await records.report("b", [], [], ALIVE)
        hand.time -= 36
        assert [found.process for found in await records.find()] == ["b"]

    async def test_a_process_that_is_heard_of_stays(self, records: ListenerRecords, hand: Hand) -> None:
        await records.report("a", [row("a", "q-1")], [], ALIVE)
        for _ in range(3):
            hand.time += 50
            await records.report("a", [], [], ALIVE)
        assert [found.silent for found in await records.find()] == [0]

    async def test_a_wish_is_told_once_to_each_process(self, records: ListenerRecords) -> None:
        await records.report("a", [row("a", "q-1"), row("a", "q-2")], [], ALIVE)
        await records.report("b", [row("b", "q-1")], [], ALIVE)
        assert await records.restart("q-1") == 2
        assert await records.restart("q-1") == 2
        assert await records.restart("q-9") == 0
        assert list(await records.report("a", [row("a", "q-1", restarts=1)], [], ALIVE)) == ["q-1"]
        assert list(await records.report("a", [], [], ALIVE)) == []
        assert list(await records.report("b", [], [], ALIVE)) == ["q-1"]

    async def test_a_process_that_leaves_is_forgotten(self, records: ListenerRecords) -> None:
        await records.report("a", [row("a", "q-1")], [], ALIVE)
        await records.report("b", [row("b", "q-1")], [], ALIVE)
        await records.leave("a")
        await records.leave("a")
        assert list(await records.find()) == [row("b", "q-1")]

    async def test_thousands_are_reported_at_once(self, records: ListenerRecords) -> None:
        told = [row("a", f"q-{number:04}") for number in range(3000)]
        await records.report("a", told, [], ALIVE)
        assert list(await records.find(limit=5000)) == told
        await records.report("a", [], [each.queue for each in told[1:]], ALIVE)
        assert list(await records.find()) == told[:1]

    async def test_a_zero_in_what_a_broker_says_does_no_harm(self, records: ListenerRecords) -> None:
        await records.report("a", [row("a", "q-1", "down", why="odd\0text")], [], ALIVE)
        [found] = await records.find()
        assert found.standing.why == "oddtext"

    async def test_closing_twice_is_well(self, records: ListenerRecords) -> None:
        await records.close()
        await records.close()
