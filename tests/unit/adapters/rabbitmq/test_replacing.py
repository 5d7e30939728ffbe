"""Whether what is missing is only being replaced is asked once for all who miss it."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.replacing import Kind, Replacing, Sight
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer


class Broker:
    """What is there, and how often somebody asked for it."""

    def __init__(self, talk: Conversation) -> None:
        self.there: set[str] = set()
        self.asked: list[str] = []
        talk.answers[commands.Queue.Declare] = lambda asked: self._answer(
            str(asked.queue), commands.Queue.DeclareOk(asked.queue, 0, 0)
        )
        talk.answers[commands.Exchange.Declare] = lambda asked: self._answer(
            str(asked.exchange), commands.Exchange.DeclareOk()
        )

    def _answer(self, name: str, found: Frame) -> Frame:
        self.asked.append(name)
        return found if name in self.there else commands.Channel.Close(404, "NOT_FOUND", 50, 10)


@pytest.fixture
async def link(server: ScriptedServer) -> AsyncIterator[Link]:
    link = Link(server.address(), "test")
    yield link
    await link.abort()


@pytest.fixture
async def broker(link: Link, server: ScriptedServer) -> Broker:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    await talk.shake_hands()
    await opening
    return Broker(talk)


@pytest.mark.parametrize("kind", ["queue", "exchange"])
async def test_what_stands_in_for_it_tells(link: Link, broker: Broker, kind: Kind) -> None:
    replacing = Replacing(link)
    assert await replacing.look(kind, "orders") is Sight.MISSING
    broker.there = {"orders.swap.v1"}
    assert await replacing.look(kind, "orders") is Sight.AWAY
    assert replacing.away == ({"orders"} if kind == "exchange" else set())
    broker.there = {"orders", "orders.swap.v1"}
    assert await replacing.look(kind, "orders") is Sight.THERE
    assert replacing.away == set()


async def test_all_who_miss_it_share_the_answer(link: Link, broker: Broker) -> None:
    broker.there = {"orders.swap.v1"}
    replacing = Replacing(link)
    assert set(await asyncio.gather(*(replacing.look("queue", "orders") for _ in range(100)))) == {Sight.AWAY}
    assert len(broker.asked) <= 4, "by the first who came, and by one for all who came meanwhile"
    waiting = [asyncio.create_task(replacing.until_back("queue", "orders")) for _ in range(100)]
    await asyncio.sleep(0.2)
    broker.there = {"orders"}
    assert all(await asyncio.wait_for(asyncio.gather(*waiting), 10))
    assert len(broker.asked) < 100


async def test_a_name_that_is_too_long_for_a_stand_in_is_missing(link: Link, broker: Broker) -> None:
    assert await Replacing(link).look("queue", "x" * 250) is Sight.MISSING
    assert set(broker.asked) == {"x" * 250}


async def test_one_that_comes_back_between_two_questions_is_there(link: Link, broker: Broker) -> None:
    class Fast(set[str]):
        def __contains__(self, name: object) -> bool:
            return name == "orders" and len(broker.asked) > 2

    broker.there = Fast()
    assert await Replacing(link).look("queue", "orders") is Sight.THERE
