"""Thousands of queues are made quickly, what all need is made once, and one that is refused is named."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from pamqp import commands
from pamqp.base import Frame

from goatherd.adapters.rabbitmq import known
from goatherd.adapters.rabbitmq import link as link_module
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.topology import Queue
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer


class Books:
    """What a scripted broker has, and what it was asked for."""

    def __init__(self) -> None:
        self.queues: set[str] = set()
        self.refused: set[str] = set()
        self.exchanges: Counter[str] = Counter()
        self.bindings: Counter[str] = Counter()

    def keep(self, talk: Conversation) -> None:
        talk.answers |= {
            commands.Queue.Declare: self._queue,
            commands.Exchange.Declare: self._exchange,
            commands.Queue.Bind: self._bind,
        }

    def _queue(self, asked: Any) -> Frame:
        name = str(asked.queue)
        if name in self.refused:
            text = (
                f"PRECONDITION_FAILED - inequivalent arg 'x-max-length' for queue '{name}' in vhost '/': "
                f"received none but current is the value '5' of type 'long'"
            )
            return commands.Channel.Close(406, text, 50, 10)
        if asked.passive and name not in self.queues:
            return commands.Channel.Close(404, f"NOT_FOUND - no queue '{name}'", 50, 10)
        self.queues.add(name)
        return commands.Queue.DeclareOk(name, 0, 0)

    def _exchange(self, asked: Any) -> Frame:
        self.exchanges[str(asked.exchange)] += 1
        return commands.Exchange.DeclareOk()

    def _bind(self, asked: Any) -> Frame:
        self.bindings[str(asked.queue)] += 1
        return commands.Queue.BindOk()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)


@pytest.fixture
def books() -> Books:
    return Books()


@pytest.fixture
async def link(server: ScriptedServer) -> AsyncIterator[Link]:
    link = Link(server.address(), "test")
    yield link
    await link.abort()


async def connected(link: Link, server: ScriptedServer, books: Books) -> Conversation:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    books.keep(talk)
    await talk.shake_hands()
    await opening
    return talk


async def again(link: Link, server: ScriptedServer, books: Books) -> None:
    talk = await server.next()
    books.keep(talk)
    await talk.shake_hands()
    async with asyncio.timeout(5):
        await link.connection()


def some(*names: str) -> list[Queue]:
    return [Queue(name=name, contract=True, type="classic") for name in names]


def passing(*names: str) -> list[Queue]:
    """Those that come and go."""
    return [replace(queue, one_of_many=True) for queue in some(*names)]


async def test_what_all_need_is_made_once(link: Link, server: ScriptedServer, books: Books) -> None:
    talk = await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    opened = sum(isinstance(thing, commands.Channel.Open) for thing in talk.heard)
    for number in range(10):
        await layout.declare(some(*(f"q{number}-{each}" for each in range(20))))
    assert set(books.exchanges.values()) == {1}
    assert len(books.queues) == 201, "and the one of the dead letters"
    assert books.bindings["q3-3"] == 1
    assert sum(isinstance(thing, commands.Channel.Open) for thing in talk.heard) <= opened + 5


async def test_what_is_asked_for_again_is_all_made_again(link: Link, server: ScriptedServer, books: Books) -> None:
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    await layout.declare(some("a", "b"))
    await layout.declare(some("b"))
    assert set(books.exchanges.values()) == {2}


async def test_one_that_is_refused_is_named_and_all_others_are_made(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    talk = await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    books.refused.add("b")
    with pytest.raises(TopologyMismatch, match="'b'"):
        await layout.declare(some(*"abcdefgh"))
    assert set("acdefgh") <= books.queues
    books.queues.clear()
    talk.cut()
    await again(link, server, books)
    assert set("acdefgh") <= books.queues, "the one does not keep the connection from coming back"


async def test_a_listener_sees_to_its_queue_by_itself(link: Link, server: ScriptedServer, books: Books) -> None:
    talk = await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    await layout.declare([*some("fixed"), *passing("listened")])
    layout.listen("listened")
    books.queues.clear()
    talk.cut()
    await again(link, server, books)
    assert "fixed" in books.queues
    assert "listened" not in books.queues
    await layout.have("listened", again=True)
    assert "listened" in books.queues


async def test_the_way_of_delayed_jobs_is_made_again_with_a_queue_that_somebody_made_anew(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    await layout.declare(passing("listened"))
    layout.listen("listened")
    assert books.bindings["listened"] == 1
    await layout.have("listened", again=False)
    assert books.bindings["listened"] == 1, "what was made a moment ago is whole"
    await layout.have("listened", again=True)
    assert books.bindings["listened"] == 2


async def test_what_no_listener_wants_any_more_is_forgotten(link: Link, server: ScriptedServer, books: Books) -> None:
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    await layout.declare([*passing("a"), *some("fixed")])
    for _ in range(2):
        layout.listen("a")
    layout.forget("a")
    books.queues.discard("a")
    await layout.have("a", again=True)
    layout.forget("a")
    books.queues.discard("a")
    with pytest.raises(Unavailable, match="no queue 'a'"):
        await layout.have("a", again=True)


async def test_queues_that_were_only_sent_to_are_neither_looked_at_nor_made_again(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    """Thousands of them would keep a connection from coming back for long, and one that is refused for ever."""
    talk = await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    await layout.declare(some("fixed"))
    for number in range(20):
        await layout.declare(passing(f"match-{number}"))
    assert layout.known_queues() == ["fixed"]
    assert [state.name for state in await layout.states((), ["match-7"])] == ["fixed", "match-7"]
    books.queues.clear()
    books.refused.add("match-3")
    talk.cut()
    await again(link, server, books)
    assert "fixed" in books.queues
    assert not [name for name in books.queues if name.startswith("match-")]


async def test_what_is_remembered_of_them_does_not_grow(
    link: Link, server: ScriptedServer, books: Books, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "MOST_OF_MANY", 5)
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    layout.listen("match-0")
    for number in range(20):
        await layout.declare(passing(f"match-{number}"))
    assert len(layout._known._passing) <= 6
    books.queues.clear()
    await layout.have("match-0", again=True)
    assert books.queues == {"match-0"}, "what is listened to is remembered"
