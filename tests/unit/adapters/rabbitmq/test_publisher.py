"""Every publish ends as taken, returned, refused or unknown, and in time."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq import link as link_module
from goatherd.adapters.rabbitmq import properties
from goatherd.adapters.rabbitmq import publisher as publisher_module
from goatherd.adapters.rabbitmq.link import Link
from goatherd.adapters.rabbitmq.parcels import Outgoing
from goatherd.adapters.rabbitmq.properties import Properties
from goatherd.adapters.rabbitmq.publisher import Publisher
from goatherd.errors import Refused, Unavailable
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, Published, ScriptedServer

LARGEST = 4096


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(publisher_module, "PAUSE_AFTER_REFUSAL", 0.01)


@pytest.fixture
async def link(server: ScriptedServer) -> AsyncIterator[Link]:
    link = Link(server.address(), "test")
    yield link
    await link.abort()


@pytest.fixture
async def talk(link: Link, server: ScriptedServer) -> Conversation:
    opening = asyncio.create_task(link.open())
    talk = await server.next()
    await talk.shake_hands(frame_max=LARGEST)
    await opening
    return talk


@pytest.fixture
def publisher(link: Link) -> Publisher:
    return Publisher(link, 5.0)


def message(name: str, *, exchange: str = "", key: str = "mail", body: bytes = b"{}") -> Outgoing:
    return Outgoing(name, exchange, key, properties.write(Properties(message_id=name)), body)


def publishing(publisher: Publisher, *messages: Outgoing) -> "asyncio.Task[None]":
    return asyncio.create_task(publisher.publish(messages))


async def heard(talk: Conversation, *names: str) -> list[Published]:
    """The next messages, which must be these."""
    found = [await talk.hears(Published) for _ in names]
    assert [each.id for each in found] == list(names)
    return found


def taken(talk: Conversation, tag: int, *, multiple: bool = False, channel: int) -> None:
    talk.say(commands.Basic.Ack(tag, multiple), channel)


async def given_back(talk: Conversation, tag: int, *names: str) -> None:
    """The next messages, which must be these, and which no queue takes."""
    for name in names:
        [found] = await heard(talk, name)
        talk.give_back(found)
        taken(talk, tag, channel=found.channel)
        tag += 1


async def back(server: ScriptedServer) -> Conversation:
    """The link's next connection."""
    talk = await server.next()
    await talk.shake_hands(frame_max=LARGEST)
    return talk


async def test_it_returns_when_all_are_taken(publisher: Publisher, talk: Conversation) -> None:
    sending = publishing(publisher, message("a"), message("b"), message("c"))
    [first, *_] = await heard(talk, "a", "b", "c")
    assert first.method.mandatory
    assert first.header.properties.delivery_mode == 2
    taken(talk, 2, channel=first.channel)
    taken(talk, 1, channel=first.channel)
    await asyncio.sleep(0.01)
    assert not sending.done()
    taken(talk, 3, channel=first.channel)
    await sending
    assert publisher.repeated == 0


async def test_one_confirm_for_many_counts_for_all_of_them(publisher: Publisher, talk: Conversation) -> None:
    first, second = publishing(publisher, message("a"), message("b")), publishing(publisher, message("c"))
    [one, *_] = await heard(talk, "a", "b", "c")
    taken(talk, 3, multiple=True, channel=one.channel)
    await asyncio.gather(first, second)


async def test_a_message_that_no_queue_takes_is_told_with_its_job(publisher: Publisher, talk: Conversation) -> None:
    sending = publishing(publisher, message("a"), message("b", key="nowhere"), message("c"))
    found = await heard(talk, "a", "b", "c")
    talk.give_back(found[1])
    taken(talk, 3, multiple=True, channel=found[0].channel)
    await given_back(talk, 4, "nowhere.paused.v1", "b", "nowhere.paused.v1")
    with pytest.raises(Unavailable, match="There is no queue 'nowhere'") as caught:
        await sending
    assert caught.value.jobs == ("b",)


async def test_the_same_id_on_two_queues_is_told_apart(publisher: Publisher, talk: Conversation) -> None:
    well, ill = publishing(publisher, message("a", key="mail")), publishing(publisher, message("a", key="nowhere"))
    found = await heard(talk, "a", "a")
    talk.give_back(next(each for each in found if each.method.routing_key == "nowhere"))
    taken(talk, 2, multiple=True, channel=found[0].channel)
    await well
    await given_back(talk, 3, "nowhere.paused.v1", "a", "nowhere.paused.v1")
    with pytest.raises(Unavailable, match="There is no queue 'nowhere'"):
        await ill


async def test_a_refused_message_is_offered_again_under_the_same_id(publisher: Publisher, talk: Conversation) -> None:
    sending = publishing(publisher, message("a"), message("b"))
    [first, _] = await heard(talk, "a", "b")
    talk.say(commands.Basic.Nack(1, False, False), first.channel)
    taken(talk, 2, channel=first.channel)
    await heard(talk, "a")
    taken(talk, 3, channel=first.channel)
    await sending
    assert publisher.repeated == 0


async def test_a_queue_that_stays_full_is_told(publisher: Publisher, talk: Conversation) -> None:
    sending = publishing(publisher, message("a"))
    for tag in range(1, publisher_module.MOST_REFUSALS + 2):
        [refused] = await heard(talk, "a")
        talk.say(commands.Basic.Nack(tag, False, False), refused.channel)
    with pytest.raises(Refused, match="'mail' holds as many jobs as it may") as caught:
        await sending
    assert (caught.value.jobs, caught.value.limit) == (("a",), "max_length")


async def test_an_unknown_outcome_is_sent_again_under_the_same_id(
    publisher: Publisher, talk: Conversation, server: ScriptedServer
) -> None:
    sending = publishing(publisher, message("a"), message("b"), message("c"))
    [first, *_] = await heard(talk, "a", "b", "c")
    taken(talk, 2, channel=first.channel)
    await asyncio.sleep(0.02)
    talk.cut()
    talk = await back(server)
    [again, _] = await heard(talk, "a", "c")
    taken(talk, 2, multiple=True, channel=again.channel)
    await sending
    assert publisher.repeated == 2


async def test_after_the_deadline_what_is_not_accepted_is_told(link: Link, talk: Conversation) -> None:
    sending = publishing(Publisher(link, 0.1), message("a"), message("b"))
    [first, _] = await heard(talk, "a", "b")
    taken(talk, 1, channel=first.channel)
    with pytest.raises(Unavailable, match=r"Not accepted within 0\.1 s: the broker did not confirm in time") as caught:
        await sending
    assert caught.value.jobs == ("b",)


async def test_while_the_broker_is_away_the_deadline_holds_too(link: Link, talk: Conversation) -> None:
    talk.cut()
    await asyncio.sleep(0.01)
    with pytest.raises(Unavailable, match="the broker is away") as caught:
        await Publisher(link, 0.1).publish([message("a")])
    assert caught.value.jobs == ("a",)


async def test_a_blocked_broker_is_named_as_the_reason(link: Link, talk: Conversation) -> None:
    talk.say(commands.Connection.Blocked("low on memory"))
    with pytest.raises(Unavailable, match=r"blocked.*low on memory"):
        await Publisher(link, 0.1).publish([message("a")])


@pytest.mark.parametrize(
    ("code", "text", "guilty", "told"),
    [
        (404, "NOT_FOUND - no exchange 'x' in vhost '/'", {"exchange": "x"}, "There is no exchange 'x'"),
        (403, "ACCESS_REFUSED - access to exchange 'x' in vhost '/' refused", {"exchange": "x"}, "ACCESS_REFUSED"),
        (
            406,
            "PRECONDITION_FAILED - message size 9 is larger than configured max size 8",
            {"body": b"123456789"},
            "size 9",
        ),
    ],
)
async def test_a_message_that_kills_the_channel_takes_no_other_with_it(
    publisher: Publisher, talk: Conversation, code: int, text: str, guilty: dict[str, str], told: str
) -> None:
    missing = commands.Channel.Close(404, "NOT_FOUND - no exchange 'x' in vhost '/'", 40, 10)
    talk.answers[commands.Exchange.Declare] = lambda _asked: missing
    innocent = publishing(publisher, message("innocent"))
    sending = publishing(publisher, message("guilty", **guilty))
    [first, _] = await heard(talk, "innocent", "guilty")
    talk.say(commands.Channel.Close(code, text, 60, 40), first.channel)
    with pytest.raises(Unavailable, match=told) as caught:
        await sending
    assert caught.value.jobs == ("guilty",)
    [again] = await heard(talk, "innocent")
    taken(talk, 1, channel=again.channel)
    await innocent


async def test_a_cancelled_sender_leaves_the_others_their_confirms(publisher: Publisher, talk: Conversation) -> None:
    first, second = publishing(publisher, message("a")), publishing(publisher, message("b"))
    [one, _] = await heard(talk, "a", "b")
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    taken(talk, 2, multiple=True, channel=one.channel)
    await second


async def test_a_message_that_cannot_be_written_disturbs_no_count(publisher: Publisher, talk: Conversation) -> None:
    with pytest.raises(ValueError, match="AMQP allows 255"):
        await publisher.publish([message("a"), message("b", key="k" * 300)])
    sending = publishing(publisher, message("c"))
    [only] = await heard(talk, "c")
    taken(talk, 1, channel=only.channel)
    await sending


async def test_a_body_larger_than_a_frame_arrives_whole(publisher: Publisher, talk: Conversation) -> None:
    bodies = [bytes(range(256)) * 64, b"x" * (LARGEST - 8), b"x" * (LARGEST - 7), b""]
    sending = publishing(publisher, *(message(str(number), body=body) for number, body in enumerate(bodies)))
    found = await heard(talk, "0", "1", "2", "3")
    assert [each.body for each in found] == bodies
    assert max(size for each in found for size in each.sizes) == LARGEST
    taken(talk, 4, multiple=True, channel=found[0].channel)
    await sending


async def test_publishers_wait_while_the_broker_does_not_read(
    publisher: Publisher, talk: Conversation, link: Link
) -> None:
    sending = [publishing(publisher, message("first"))]
    [one] = await heard(talk, "first")
    talk.reading.clear()
    connection = await link.connection()
    async with asyncio.timeout(5):
        while connection.writable.is_set():
            sending.append(publishing(publisher, message(str(len(sending)), body=b"x" * 1_000_000)))
            await asyncio.sleep(0.01)
    sending.append(publishing(publisher, message("later")))
    await asyncio.sleep(0.05)
    assert len(publisher._waiting) == len(sending) - 1
    talk.reading.set()
    seen = [await talk.hears(Published) for _ in sending[1:]]
    assert seen[-1].id == "later"
    taken(talk, len(sending), multiple=True, channel=one.channel)
    await asyncio.gather(*sending)


async def test_more_than_the_window_is_sent_as_room_is_made(
    publisher: Publisher, talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "WINDOW", 10)
    sending = publishing(publisher, *(message(str(number)) for number in range(25)))
    seen = [await talk.hears(Published) for _ in range(20)]
    await talk.hears_nothing_of(Published, 0.05)
    taken(talk, 20, multiple=True, channel=seen[0].channel)
    seen += [await talk.hears(Published) for _ in range(5)]
    taken(talk, 25, multiple=True, channel=seen[0].channel)
    await sending
    assert [each.id for each in seen] == [str(number) for number in range(25)]


async def test_whether_there_is_a_queue_is_asked_with_a_message(publisher: Publisher, talk: Conversation) -> None:
    asking = asyncio.create_task(publisher.is_taken(message("a")))
    [one] = await heard(talk, "a")
    talk.give_back(one)
    taken(talk, 1, channel=one.channel)
    assert await asking is False
    asking = asyncio.create_task(publisher.is_taken(message("a")))
    await heard(talk, "a")
    taken(talk, 2, channel=one.channel)
    assert await asking is True
