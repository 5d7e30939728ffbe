"""Thousands of queues are made quickly, what all need is made once, and one that is refused is named."""

from dataclasses import replace

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import known
from goatherd.adapters.rabbitmq.layout import Layout
from goatherd.adapters.rabbitmq.link import Link
from goatherd.errors import TopologyMismatch, Unavailable
from goatherd.model.topology import Queue
from tests.unit.adapters.rabbitmq.books import Books, again, connected
from tests.unit.adapters.rabbitmq.scripted_server import ScriptedServer


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


async def test_jobs_come_to_the_apps_own_queues_by_its_own_exchange_and_to_others_by_their_contract(
    link: Link, server: ScriptedServer, books: Books
) -> None:
    await connected(link, server, books)
    layout = Layout([link], "shop", "create", "quorum")
    books.queues.add("theirs")
    told = Queue(name="told", contract=True, exchange="sales", routing_key="north")
    await layout.declare(
        [Queue(name="mail"), *some("contract"), *passing("match-7"), Queue(name="theirs", passive=True), told]
    )
    assert {name: layout.ways.way_to(name) for name in ("mail", "contract", "match-7", "theirs", "unknown")} == {
        "mail": ("shop.work.v1", "mail"),
        "contract": ("", "contract"),
        "match-7": ("", "match-7"),
        "theirs": ("", "theirs"),
        "unknown": ("", "unknown"),
    }
    assert layout.ways.way_to("told") == ("sales", "north")
    assert [way for way in books.made if "->" in way and not way.startswith("shop.d")] == [
        "shop.work.v1 -mail-> mail",
        "sales -north-> told",
    ]
    assert books.made.index("exchange shop.work.v1") < books.made.index("shop.work.v1 -mail-> mail")


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
