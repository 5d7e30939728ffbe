"""The management API when it is not as it should be."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from goatherd.adapters.rabbitmq.address import read_address
from goatherd.adapters.rabbitmq.management import Management, NoManagement, NotThere, path_of
from goatherd.adapters.rabbitmq.management_address import beside, read_management_url
from goatherd.errors import SettingsError, Unavailable

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
BROKER = read_address("amqp://shop:secret@localhost:5672,127.0.0.1/v")


@asynccontextmanager
async def api(answer: Answer, deadline: float = 30.0) -> AsyncIterator[Management]:
    """Something that listens where the API should be."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        yield Management(read_management_url(f"http://127.0.0.1:{port}", BROKER), deadline)


def saying(status: str, body: str) -> Answer:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(f"{head}{body}".encode())
        await writer.drain()

    return answer


def test_it_is_beside_the_broker_unless_it_is_told_otherwise() -> None:
    assert str(beside(BROKER)) == "http://localhost:15672,127.0.0.1:15672"
    assert str(beside(read_address("amqps://shop:secret@rabbit/v"))) == "https://rabbit:15671"
    assert beside(BROKER).user == "shop"
    told = read_management_url("https://ops:p%40ss@proxy/rabbit/api/", BROKER)
    assert (str(told), told.user, told.password) == ("https://proxy:15671/rabbit", "ops", "p@ss")
    assert "p@ss" not in repr(told)


@pytest.mark.parametrize("url", ["amqp://h", "http://", "http://h?x=1", "http://u:sec/ret@h", "http://[h"])
def test_a_url_that_cannot_be_used_is_told_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        read_management_url(url, BROKER)
    assert "management URL" in str(refusal.value)
    assert "sec" not in str(refusal.value)


def test_names_are_escaped_as_a_whole() -> None:
    assert path_of("queues", "/", "a/b c#") == "queues/%2F/a%2Fb%20c%23"


async def test_it_asks_as_the_user_and_reads_the_answer() -> None:
    heard: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        heard.append(head + await reader.readexactly(8))
        writer.write(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n')
        await writer.drain()

    async with api(answer) as management:
        assert await management.ask("x/%2F", "PUT", {"b": 2}) == {"a": 1}
    assert heard[0].startswith(b"PUT /api/x/%2F HTTP/1.1\r\n")
    assert b"Authorization: Basic c2hvcDpzZWNyZXQ=\r\n" in heard[0]
    assert heard[0].endswith(b'{"b": 2}')


@pytest.mark.parametrize(
    ("status", "body", "error", "words"),
    [
        ("401 Unauthorized", '{"error":"no","reason":"Login failed"}', SettingsError, "'shop' (Login failed)"),
        ("404 Not Found", '{"error":"Object Not Found","reason":"Not Found"}', NotThere, "Not Found"),
        ("400 Bad Request", '{"error":"bad_request","reason":"no such thing"}', Unavailable, "400: no such thing"),
        ("500 Oh", '"what"', Unavailable, "500: what"),
        ("200 OK", "<html>", SettingsError, "not the management API"),
        ("404 Not Found", "<html>", SettingsError, "not the management API"),
        ("301 Moved", "{}", SettingsError, "not the management API"),
    ],
)  # fmt: skip
async def test_a_refusal_says_what_to_do(status: str, body: str, error: type[Exception], words: str) -> None:
    async with api(saying(status, body)) as management:
        with pytest.raises(error) as refusal:
            await management.ask("queues")
    assert words in str(refusal.value)
    assert "secret" not in str(refusal.value)


async def test_a_large_answer_is_read_to_its_end() -> None:
    async with api(saying("200 OK", "[" + "1," * 500_000 + "1]")) as management:
        assert len(await management.ask("queues")) == 500_001


async def test_nothing_to_say_is_none() -> None:
    async with api(saying("204 No Content", "")) as management:
        assert await management.ask("queues", "DELETE") is None


async def test_where_nobody_listens_there_is_no_management() -> None:
    async with api(saying("200 OK", "{}")) as management:
        pass
    with pytest.raises(NoManagement) as refusal:
        await management.ask("queues")
    assert "rabbitmq-plugins enable" in str(refusal.value)


async def test_what_hangs_up_is_no_management() -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")

    async with api(hang_up) as management:
        with pytest.raises(NoManagement):
            await management.ask("queues")


async def test_an_answer_that_never_ends_has_a_deadline() -> None:
    done = asyncio.Event()

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\n")
        heard = b"?"
        while heard:
            # Each byte comes in time; only all of them do not.
            writer.write(b"x")
            with suppress(TimeoutError):
                heard = await asyncio.wait_for(reader.read(4096), 0.05)
        done.set()

    async with api(trickle, deadline=0.5) as management:
        with pytest.raises(Unavailable, match="in time") as refusal:
            await management.ask("queues")
        assert not isinstance(refusal.value, NoManagement)
        # The thread has hung up, so that nobody waits for it at the end of the program.
        await asyncio.wait_for(done.wait(), 20)


async def test_who_is_cancelled_hangs_up() -> None:
    asked, left = asyncio.Event(), asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        asked.set()
        await reader.read()
        left.set()

    async with api(silent) as management:
        asking = asyncio.create_task(management.ask("queues"))
        await asyncio.wait_for(asked.wait(), 20)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(left.wait(), 20)
