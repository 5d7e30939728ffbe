"""Whoever sends to a queue by its name looks first whether it may, and what was seen counts for a moment only."""

import asyncio
from collections.abc import Callable

import pytest

from goatherd.adapters.rabbitmq import lookout as module
from goatherd.adapters.rabbitmq.address import read_address
from goatherd.adapters.rabbitmq.comebacks import MOST_LOOKS, Comebacks
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.lookout import Lookout
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.replacing import Replacing
from goatherd.errors import Unavailable


class Marks:
    """Those that are there, and how often somebody asked."""

    def __init__(self) -> None:
        self.there: set[str] = set()
        self.asked: list[str] = []
        self.trouble: Unavailable | None = None

    async def __call__(self, mark: str) -> bool:
        self.asked.append(mark)
        await asyncio.sleep(0)
        if self.trouble is not None:
            raise self.trouble
        return mark in self.there


@pytest.fixture
def marks() -> Marks:
    return Marks()


@pytest.fixture
def lookout(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> Lookout:
    monkeypatch.setattr(module, "FRESH_FOR", 3600.0)
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.001)
    made = Lookout(marks)
    made.watch(["orders"])
    return made


def message(key: str, exchange: str = "") -> Outgoing:
    return Outgoing("1", exchange, key, b"", b"")


async def test_only_what_is_sent_by_a_watched_name_is_looked_at(lookout: Lookout) -> None:
    assert lookout.is_stale([message("mail"), message("orders")])
    assert lookout.stale([message("mail"), message("orders")]) == {"orders"}
    assert not lookout.is_stale([message("mail"), message("orders", "shop")])


async def test_a_look_counts_for_a_moment(lookout: Lookout, marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    await asyncio.gather(*(lookout.until_clear("orders") for _ in range(100)))
    assert marks.asked == ["orders.senders.paused.v1"], "all who come in the same moment share the answer"
    assert not lookout.is_stale([message("orders")])
    monkeypatch.setattr(module, "FRESH_FOR", -1.0)
    lookout.fresh["orders"] = -1.0
    await lookout.until_clear("orders")
    assert lookout.is_stale([message("orders")])


async def test_a_queue_that_is_watched_twice_is_not_forgotten(lookout: Lookout) -> None:
    await lookout.until_clear("orders")
    lookout.watch(["orders"])
    assert not lookout.is_stale([message("orders")])


async def test_a_marked_one_is_waited_for(lookout: Lookout, marks: Marks) -> None:
    marks.there.add("orders.senders.paused.v1")
    waiting = asyncio.create_task(lookout.until_clear("orders"))
    await _until(lambda: len(marks.asked) > 2)
    assert not waiting.done()
    marks.there.clear()
    await asyncio.wait_for(waiting, 10)


async def test_a_broker_that_does_not_answer_is_left_to_the_message_itself(lookout: Lookout, marks: Marks) -> None:
    marks.trouble = Unavailable("the broker is away")
    await asyncio.wait_for(lookout.until_clear("orders"), 10)


async def _until(come: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not come():
            await asyncio.sleep(0.001)


async def _not_paused(_queue: str) -> bool:
    return False


@pytest.mark.parametrize("names", [["orders"], [f"orders.{number}" for number in range(40)]])
async def test_a_broker_that_answers_later_than_a_look_counts_is_sent_to_all_the_same(
    monkeypatch: pytest.MonkeyPatch, names: list[str]
) -> None:
    class Slow(Marks):
        async def __call__(self, mark: str) -> bool:
            await asyncio.sleep(0.03)
            return await super().__call__(mark)

    monkeypatch.setattr(module, "FRESH_FOR", 0.01)
    slow = Slow()
    lookout = Lookout(slow)
    lookout.watch(names)
    comebacks = Comebacks(Replacing(Link(read_address("amqp://127.0.0.1/"), "test")), lookout, _not_paused)
    await asyncio.wait_for(comebacks.hold_back([message(name) for name in names]), 10)
    assert len(slow.asked) <= MOST_LOOKS * len(names)


async def test_many_queues_are_looked_at_in_the_same_moment() -> None:
    names = [f"orders.{number}" for number in range(40)]
    waiting = asyncio.Barrier(len(names))

    async def all_at_once(_mark: str) -> bool:
        await waiting.wait()
        return False

    together = Lookout(all_at_once)
    together.watch(names)
    assert await asyncio.wait_for(together.replaced(names), 10) == []
