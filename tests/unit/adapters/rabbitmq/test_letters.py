"""A message that is posted: its receipt is told once, and in time, whatever the broker does."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import link as link_module
from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.errors import Unavailable
from goatherd.testing.suites.receipts import Slip
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, Published, ScriptedServer

DEADLINE = 0.5


@pytest.fixture
async def link(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Link]:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    link = Link(server.address(), "test")
    yield link
    await link.abort()


@pytest.fixture
async def talk(link: Link, server: ScriptedServer) -> Conversation:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    await talk.shake_hands()
    await opening
    return talk


@pytest.fixture
async def publisher(link: Link, talk: Conversation) -> Publisher:
    """One whose channel is open, so that letters go out at once."""
    publisher = Publisher(link, DEADLINE)
    first = asyncio.create_task(publisher.publish([letter("first")]))
    found = await talk.hears(Published)
    talk.say(commands.Basic.Ack(1, False), found.channel)
    await first
    return publisher


def letter(name: str, key: str = "mail") -> Outgoing:
    return Outgoing(name, "", key, properties.write(Properties(message_id=name)), b"{}")


def post(publisher: Publisher, name: str, key: str = "mail") -> Slip:
    slip = Slip()
    publisher.post(letter(name, key), slip)
    return slip


async def test_one_that_is_confirmed_is_taken(publisher: Publisher, talk: Conversation) -> None:
    slip = post(publisher, "a")
    found = await talk.hears(Published)
    talk.say(commands.Basic.Ack(2, False), found.channel)
    assert await slip.outcome() is None
    await asyncio.sleep(DEADLINE * 1.2)
    assert slip.times == 1, "its time is not up any more"


async def test_one_that_is_never_confirmed_fails_in_time(publisher: Publisher, talk: Conversation) -> None:
    slip = post(publisher, "a")
    found = await talk.hears(Published)
    async with asyncio.timeout(DEADLINE * 4):
        error = await slip.outcome()
    assert "the broker did not confirm in time" in str(error)
    assert isinstance(error, Unavailable)
    assert error.jobs == ("a",)
    talk.say(commands.Basic.Ack(2, False), found.channel)
    later = post(publisher, "b")
    talk.say(commands.Basic.Ack(3, False), (await talk.hears(Published)).channel)
    assert await later.outcome() is None
    assert slip.times == 1, "a confirm that comes late changes nothing"


async def test_one_that_no_queue_takes_fails(publisher: Publisher, talk: Conversation) -> None:
    slip = post(publisher, "a", key="nowhere")
    for tag in range(2, 7):  # twice as it is, and then after each time somebody has looked whether it is replaced
        found = await talk.hears(Published)
        talk.give_back(found)
        talk.say(commands.Basic.Ack(tag, False), found.channel)
    assert "There is no queue 'nowhere'" in str(await slip.outcome())
    assert slip.times == 1


async def test_one_of_unknown_outcome_is_sent_again_on_the_next_connection(
    publisher: Publisher, talk: Conversation, server: ScriptedServer
) -> None:
    slip = post(publisher, "a")
    await talk.hears(Published)
    talk.cut()
    again = await server.next()
    await again.shake_hands()
    found = await again.hears(Published)
    assert found.id == "a"
    again.say(commands.Basic.Ack(1, False), found.channel)
    assert await slip.outcome() is None
    assert (slip.times, publisher.repeated) == (1, 1)


async def test_one_that_is_posted_while_there_is_no_connection_fails_in_time(
    publisher: Publisher, talk: Conversation
) -> None:
    talk.cut()
    await asyncio.sleep(0.05)
    slip = post(publisher, "a")
    async with asyncio.timeout(DEADLINE * 4):
        assert "the broker is away" in str(await slip.outcome())


@pytest.mark.parametrize("sent_at_once", [True, False])
async def test_one_that_is_on_its_way_is_told_when_the_publisher_closes(
    publisher: Publisher, talk: Conversation, link: Link, sent_at_once: bool
) -> None:
    if not sent_at_once:
        talk.cut()
        await asyncio.sleep(0.05)
    slip = post(publisher, "a")
    if sent_at_once:
        await talk.hears(Published)
    before = asyncio.all_tasks()
    await publisher.close()
    await link.abort()
    assert "closed" in str(await slip.outcome())
    assert slip.times == 1
    assert asyncio.all_tasks() <= before, "nothing is tried any more"


async def test_one_that_is_posted_after_the_close_is_told_at_once(publisher: Publisher, link: Link) -> None:
    await publisher.close()
    await link.abort()
    slip = post(publisher, "a")
    assert slip.times == 1
    assert "closed" in str(await slip.outcome())


async def test_direct_reply_to_is_not_mandatory_for_it_would_always_come_back(
    publisher: Publisher, talk: Conversation
) -> None:
    post(publisher, "a", key="amq.rabbitmq.reply-to.g1h2")
    assert not (await talk.hears(Published)).method.mandatory
    post(publisher, "b", key="amq.gen-1")
    assert (await talk.hears(Published)).method.mandatory
