"""A link is kept up: made anew after every loss, with everything on it rebuilt."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import link as link_module
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import LinkFailed, LinkLost
from goatherd.adapters.rabbitmq.link import Link
from goatherd.errors import SettingsError, Unavailable
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(link_module, "LONGEST_PAUSE", 0.05)


@pytest.fixture
async def link(server: ScriptedServer) -> AsyncIterator[Link]:
    link = Link(server.address(), "test")
    yield link
    await link.close()


async def opened(link: Link, server: ScriptedServer) -> Conversation:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    await talk.shake_hands()
    await opening
    return talk


async def again(server: ScriptedServer) -> Conversation:
    """The next connection of the link."""
    talk = await server.next()
    await talk.shake_hands()
    return talk


async def test_it_goes_down_and_up_again_and_counts(link: Link, server: ScriptedServer) -> None:
    assert (link.state, link.generation) == ("down", 0)
    talk = await opened(link, server)
    assert (link.state, link.generation) == ("up", 1)
    first = await link.connection()
    talk.cut()
    talk = await server.next()
    assert link.state == "connecting"
    await talk.shake_hands()
    async with asyncio.timeout(5):
        second = await link.connection()
    assert second is not first
    assert (link.state, link.generation) == ("up", 2)


async def test_a_broker_that_is_too_old_is_told_of(
    link: Link, server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    await talk.shake_hands(version="3.8.9")
    await opening
    assert "RabbitMQ 3.8.9" in caplog.text


async def test_everything_is_rebuilt_before_it_counts_as_up(link: Link, server: ScriptedServer) -> None:
    story: list[str] = []

    async def first(connection: Connection) -> None:
        story.append(f"first on {link.generation}, {link.state}")

    async def second(connection: Connection) -> None:
        story.append(f"second on {link.generation}")

    talk = await opened(link, server)
    await link.on_up(first)
    link.on_next_up(second)
    link.on_next_up(second)
    assert story == ["first on 1, up"]
    talk.cut()
    await again(server)
    await link.connection()
    assert story[1:] == ["first on 2, connecting", "second on 2"]


async def test_what_is_forgotten_is_not_rebuilt(link: Link, server: ScriptedServer) -> None:
    built: list[int] = []

    async def rebuild(connection: Connection) -> None:
        built.append(link.generation)

    talk = await opened(link, server)
    await link.on_up(rebuild)
    link.forget(rebuild)
    link.forget(rebuild)
    talk.cut()
    await again(server)
    await link.connection()
    assert built == [1]


@pytest.mark.parametrize("error", [LinkLost("cut again"), Unavailable("the queue is not there")])
async def test_a_rebuild_that_fails_is_tried_on_the_next_connection(
    link: Link, server: ScriptedServer, error: Exception
) -> None:
    tries: list[int] = []

    async def rebuild(connection: Connection) -> None:
        tries.append(link.generation)
        if len(tries) < 3:
            raise error

    talk = await opened(link, server)
    link.on_next_up(rebuild)
    talk.cut()
    for _ in range(3):
        await again(server)
    async with asyncio.timeout(5):
        await link.connection()
    assert tries == [2, 3, 4]
    assert link.state == "up"


async def test_a_broker_that_is_away_for_long_is_waited_for(link: Link, server: ScriptedServer) -> None:
    talk = await opened(link, server)
    talk.cut()
    for _ in range(5):
        (await server.next()).cut()
    await again(server)
    async with asyncio.timeout(5):
        assert not (await link.connection()).lost.done()


async def test_being_refused_at_first_is_an_error_of_the_settings(link: Link, server: ScriptedServer) -> None:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    await talk.begin()
    talk.say(commands.Connection.Close(403, "ACCESS_REFUSED - Login was refused", 0, 0))
    with pytest.raises(SettingsError, match="refused the user 'guest'"):
        await opening
    assert link.state == "down"


async def test_no_answer_at_first_is_an_error_within_its_time(server: ScriptedServer) -> None:
    link = Link(server.address(connection_timeout=0.1), "test")
    with pytest.raises(Unavailable, match=r"within 0\.1 s"):
        await link.open()
    assert link.state == "down"


async def test_being_blocked_is_a_state(link: Link, server: ScriptedServer) -> None:
    talk = await opened(link, server)
    connection = await link.connection()
    told = asyncio.Event()
    inner, connection.on_blocked = connection.on_blocked, lambda reason: (inner(reason), told.set())[1]
    talk.say(commands.Connection.Blocked("low on memory"))
    await asyncio.wait_for(told.wait(), 5)
    assert (link.state, link.blocked) == ("blocked", "low on memory")
    told.clear()
    talk.say(commands.Connection.Unblocked())
    await asyncio.wait_for(told.wait(), 5)
    assert (link.state, link.blocked) == ("up", None)


async def test_a_frozen_broker_is_found_by_a_probe(
    link: Link, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "PROBE_EVERY", 0.02)
    monkeypatch.setattr(link_module, "PROBE_DEADLINE", 0.05)
    talk = await opened(link, server)
    await talk.hears(commands.Channel.Open)
    talk.reading.clear()
    await again(server)
    async with asyncio.timeout(5):
        await link.connection()
    assert "did not answer" in str(link.last_failure)


async def test_a_broker_short_of_memory_is_not_probed(
    link: Link, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads nothing from those who publish, so it could not answer, and is not dead for that."""
    monkeypatch.setattr(link_module, "PROBE_EVERY", 0.02)
    monkeypatch.setattr(link_module, "PROBE_DEADLINE", 0.05)
    talk = await opened(link, server)
    connection = await link.connection()
    talk.say(commands.Connection.Blocked("low on memory"))
    talk.reading.clear()
    await asyncio.sleep(0.3)
    assert (connection.lost.done(), link.state, link.generation) == (False, "blocked", 1)
    talk.reading.set()


async def test_it_can_be_closed_while_it_connects(link: Link, server: ScriptedServer) -> None:
    talk = await opened(link, server)
    talk.cut()
    half = await server.next()
    await link.close()
    await link.close()
    assert link.state == "down"
    assert await half.hung_up()


async def test_abort_says_no_farewell(link: Link, server: ScriptedServer) -> None:
    talk = await opened(link, server)
    connection = await link.connection()
    await link.abort()
    await talk.ended()
    assert not [thing for thing in talk.heard if isinstance(thing, commands.Connection.Close)]
    assert isinstance(connection.lost.result(), LinkFailed)


async def test_after_it_was_closed_nobody_gets_a_connection_or_spins(
    link: Link, server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await opened(link, server)
    await link.close()
    naps: list[float] = []
    nap = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", lambda seconds, *more: naps.append(seconds) or nap(seconds, *more))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await link.connection()
    assert naps == []
