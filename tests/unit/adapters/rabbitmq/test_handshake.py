"""How a connection begins, or does not."""

import pytest
from pamqp import commands

from goatherd.adapters.rabbitmq.failures import ConnectionRefused, LinkFailed, LinkLost, ProtocolBroken
from tests.unit.adapters.rabbitmq.conftest import Connect


async def test_the_broker_is_told_who_comes_and_tells_who_it_is(half_connect: Connect) -> None:
    connection, talk = await half_connect(user="ada", password="secret", virtual_host="shop", heartbeat=30)
    told = await talk.begin(version="4.0.2", cluster_name="rabbit@north")
    assert (told.mechanism, told.response) == ("PLAIN", "\0ada\0secret")
    assert told.client_properties["connection_name"] == "test"
    wanted = ("publisher_confirms", "basic.nack", "consumer_cancel_notify", "connection.blocked")
    assert all(told.client_properties["capabilities"][name] for name in wanted)
    talk.say(commands.Connection.Tune(100, 4096, 60))
    tuned = await talk.hears(commands.Connection.TuneOk)
    assert (tuned.channel_max, tuned.frame_max, tuned.heartbeat) == (100, 4096, 30)
    assert (await talk.hears(commands.Connection.Open)).virtual_host == "shop"
    talk.say(commands.Connection.OpenOk())
    await connection.ready()
    assert (connection.largest_frame, connection.server["version"]) == (4096, "4.0.2")


@pytest.mark.parametrize(
    ("ours", "theirs", "agreed"), [(15, 60, 15), (60, 15, 15), (0, 15, 15), (15, 0, 15), (0, 0, 0)]
)
async def test_the_shorter_heartbeat_is_taken(half_connect: Connect, ours: int, theirs: int, agreed: int) -> None:
    _, talk = await half_connect(heartbeat=ours)
    await talk.begin()
    talk.say(commands.Connection.Tune(0, 0, theirs))
    assert (await talk.hears(commands.Connection.TuneOk)).heartbeat == agreed


async def test_a_broker_without_limits_is_used_within_ours(half_connect: Connect) -> None:
    connection, talk = await half_connect()
    await talk.begin()
    talk.say(commands.Connection.Tune(0, 0, 0))
    tuned = await talk.hears(commands.Connection.TuneOk)
    assert (tuned.channel_max, tuned.frame_max) == (2047, 131_072)
    assert connection.largest_frame == 131_072


@pytest.mark.parametrize(
    ("code", "text"), [(403, "ACCESS_REFUSED - Login was refused"), (530, "NOT_ALLOWED - vhost shop not found")]
)
async def test_a_refusal_is_told_with_its_reason(half_connect: Connect, code: int, text: str) -> None:
    connection, talk = await half_connect()
    await talk.begin()
    talk.say(commands.Connection.Close(code, text, 0, 0))
    with pytest.raises(ConnectionRefused, match=text) as caught:
        await connection.ready()
    assert caught.value.code == code
    await talk.hears(commands.Connection.CloseOk)
    await talk.ended()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"AMQP\x00\x00\x09\x01", "another version of AMQP"),
        (b"AMQP\x03\x01\x00\x00", "another version of AMQP"),
        (b"\x15\x03\x03\x00\x02\x02\x16", "amqps://"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "it speaks HTTP"),
        (b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", "more than the"),
        (b"\x05\x00\x00\x00\x00\x00\x00\xce", "unknown type 5"),
        (b"\x01\x00\x00\x00\x00\x00\x06\x00\x0a\x00\x0a\x00\x09\xce", "cannot be read"),
    ],
)
async def test_what_is_no_broker_is_told_so(half_connect: Connect, answer: bytes, told: str) -> None:
    connection, talk = await half_connect()
    talk.write(answer)
    with pytest.raises(ProtocolBroken, match=told):
        await connection.ready()


async def test_one_that_hangs_up_in_the_middle_is_a_loss(half_connect: Connect) -> None:
    connection, talk = await half_connect()
    await talk.begin()
    talk.cut()
    with pytest.raises(LinkLost):
        await connection.ready()


async def test_a_connection_that_was_never_ready_gives_no_channels(half_connect: Connect) -> None:
    connection, talk = await half_connect()
    talk.cut()
    with pytest.raises(LinkFailed):
        await connection.ready()
    with pytest.raises(LinkFailed):
        await connection.open_channel()


async def test_a_damaged_frame_in_the_handshake_is_told_so(half_connect: Connect) -> None:
    connection, talk = await half_connect()
    await talk.begin()
    talk.write(b"\x01\x00\x00\x00\x00\x00\x04\x00\x0a\x00\x1e\x00")
    with pytest.raises(ProtocolBroken, match="end mark"):
        await connection.ready()
