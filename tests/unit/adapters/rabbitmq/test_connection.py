"""The life of a connection: questions, refusals, silence, and its end."""

import asyncio

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.failures import ChannelClosed, LinkFailed, LinkLost, ProtocolBroken
from goatherd.adapters.rabbitmq.wire import Content
from tests.unit.adapters.rabbitmq.conftest import Connect
from tests.unit.adapters.rabbitmq.scripted_server import Heartbeat


async def lost(connection: Connection) -> LinkFailed:
    """Why it ended."""
    return await asyncio.wait_for(asyncio.shield(connection.lost), 5)


async def test_a_refused_question_closes_only_its_channel(connect: Connect) -> None:
    connection, talk = await connect()
    channel, other = await connection.open_channel(), await connection.open_channel()
    del talk.answers[commands.Queue.Declare]
    asking = asyncio.create_task(channel.ask(commands.Queue.Declare(queue="q", passive=True)))
    await talk.hears(commands.Queue.Declare)
    talk.say(commands.Channel.Close(404, "NOT_FOUND - no queue 'q'", 50, 10), channel.number)
    with pytest.raises(ChannelClosed, match="no queue 'q'") as caught:
        await asking
    assert caught.value.code == 404
    await talk.hears(commands.Channel.CloseOk)
    assert (other.failed, connection.lost.done()) == (None, False)
    with pytest.raises(ChannelClosed):
        await channel.ask(commands.Queue.Declare(queue="q"))
    assert (await connection.open_channel()).number == channel.number


async def test_questions_of_one_channel_wait_for_each_other(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    talk.answers[commands.Queue.Declare] = lambda asked: commands.Queue.DeclareOk(asked.queue, len(asked.queue), 0)
    answers = await asyncio.gather(*(channel.ask(commands.Queue.Declare(queue="q" * size)) for size in range(1, 20)))
    assert [getattr(answer, "message_count", None) for answer in answers] == list(range(1, 20))


async def test_the_broker_may_close_the_connection(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    talk.say(commands.Connection.Close(320, "CONNECTION_FORCED - closed by an operator", 0, 0))
    assert isinstance(await lost(connection), LinkLost)
    assert "closed by an operator" in str(connection.lost.result())
    assert channel.failed is connection.lost.result()
    await talk.hears(commands.Connection.CloseOk)
    await talk.ended()


async def test_a_cut_ends_everything_that_waits(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    told: list[LinkFailed] = []
    channel.on_failure = told.append
    del talk.answers[commands.Queue.Declare]
    asking = asyncio.create_task(channel.ask(commands.Queue.Declare(queue="q")))
    await talk.hears(commands.Queue.Declare)
    talk.cut()
    with pytest.raises(LinkLost):
        await asking
    assert told == [connection.lost.result()]


@pytest.mark.parametrize(
    "garbage", [b"\xff" * 8, b"\x01\x00\x01\x00\x00\x00\x02\x00\x0a\xce", b"\x03\x00\x09\x00\x00\x00\x00\xce"]
)
async def test_garbage_ends_the_connection(connect: Connect, garbage: bytes) -> None:
    connection, talk = await connect()
    talk.write(garbage)
    assert isinstance(await lost(connection), ProtocolBroken)
    await talk.ended()


async def test_a_broker_that_does_not_answer_is_gone(connect: Connect) -> None:
    """Half-open: its socket takes everything, and nothing comes back."""
    connection, talk = await connect()
    channel = await connection.open_channel()
    talk.reading.clear()
    with pytest.raises(LinkLost, match=r"did not answer Queue\.Declare within 0\.05 s"):
        await channel.ask(commands.Queue.Declare(queue="q"), deadline=0.05)
    assert connection.lost.done()


async def test_a_broker_short_of_memory_does_not_answer_and_is_not_gone(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    talk.say(commands.Connection.Blocked("low on memory"))
    del talk.answers[commands.Queue.Declare]
    await blocked(connection, "low on memory")
    with pytest.raises(LinkLost):
        await channel.ask(commands.Queue.Declare(queue="q"), deadline=0.05)
    assert (channel.failed is None, connection.lost.done()) == (False, False)
    talk.say(commands.Connection.Unblocked())
    await blocked(connection, None)
    assert (await connection.open_channel()).failed is None


async def test_being_blocked_is_told_once_each_way(connect: Connect) -> None:
    connection, talk = await connect()
    told: asyncio.Queue[str | None] = asyncio.Queue()
    connection.on_blocked = told.put_nowait
    talk.say(commands.Connection.Blocked("low on disk"))
    talk.say(commands.Connection.Unblocked())
    assert [await asyncio.wait_for(told.get(), 5) for _ in range(2)] == ["low on disk", None]


async def test_a_question_given_up_is_not_answered_by_the_next_answer(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    del talk.answers[commands.Queue.Declare]
    asking = asyncio.create_task(channel.ask(commands.Queue.Declare(queue="first")))
    await talk.hears(commands.Queue.Declare)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    talk.say(commands.Queue.DeclareOk("first", 1, 1), channel.number)
    with pytest.raises(LinkLost):
        await channel.ask(commands.Queue.Declare(queue="second"))
    await talk.hears(commands.Channel.Close)
    assert not connection.lost.done()


async def test_silence_for_two_heartbeats_is_the_end(connect: Connect) -> None:
    connection, talk = await connect(heartbeat=1)
    assert await talk.hears(Heartbeat)
    failure = await lost(connection)
    assert "nothing was heard" in str(failure)


async def test_heartbeats_keep_a_silent_connection(connect: Connect) -> None:
    connection, talk = await connect(heartbeat=1)
    for _ in range(5):
        await talk.hears(Heartbeat)
        talk.write(b"\x08\x00\x00\x00\x00\x00\x00\xce")
    assert not connection.lost.done()


async def test_only_so_many_channels_are_opened_as_were_agreed_on(connect: Connect) -> None:
    connection, _ = await connect(channel_max=2)
    first, _ = await connection.open_channel(), await connection.open_channel()
    with pytest.raises(LinkLost, match="all 2 channels"):
        await connection.open_channel()
    await first.close()
    assert (await connection.open_channel()).number == first.number


async def test_a_channel_that_is_closed_twice_is_closed(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    await channel.close()
    await channel.close()
    await talk.hears(commands.Channel.Close)
    await talk.hears_nothing_of(commands.Channel.Close, 0.02)


async def test_a_message_for_a_channel_that_is_gone_harms_nobody(connect: Connect) -> None:
    connection, talk = await connect()
    channel = await connection.open_channel()
    got: asyncio.Queue[list[Content]] = asyncio.Queue()
    channel.received = got.put_nowait
    talk.deliver(channel.number + 5, 1, b"for nobody")
    talk.deliver(channel.number, 1, b"for us")
    [content] = await asyncio.wait_for(got.get(), 5)
    assert content.body == b"for us"


async def test_farewell_is_said_and_answered(connect: Connect) -> None:
    connection, talk = await connect()
    await connection.close()
    assert (await talk.hears(commands.Connection.Close)).reply_code == 200
    await connection.close()
    await talk.ended()


async def test_farewell_to_a_frozen_broker_takes_no_longer_than_it_may(connect: Connect) -> None:
    connection, talk = await connect()
    del talk.answers[commands.Connection.Close]
    async with asyncio.timeout(3):
        await connection.close(0.05)
    assert connection.lost.done()


async def blocked(connection: Connection, reason: str | None) -> None:
    """Return when the broker has said that it is blocked, or no more."""
    told = asyncio.Event()
    connection.on_blocked = lambda _reason: told.set()
    while connection.blocked != reason:
        await asyncio.wait_for(told.wait(), 5)
        told.clear()
