"""Several hosts in one URL: whichever answers is used."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest

from goatherd import Goatherd, Unavailable
from scripts.servers.addresses import amqp_url
from scripts.servers.ports import free_ports
from scripts.servers.proxy import Proxy
from tests.interop.stage import Told

pytestmark = pytest.mark.servers


@pytest.fixture(autouse=True)
def in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """The nodes are tried at random; here the first one first."""
    monkeypatch.setattr("goatherd.adapters.rabbitmq.link.random.sample", lambda nodes, _count: list(nodes))


@pytest.fixture
def port() -> int:
    """The broker's."""
    return int(amqp_url().rstrip("/").rpartition(":")[2])


async def silent(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Takes the connection and says nothing, as a frozen broker."""
    await asyncio.wait_for(_reader.read(-1), 30)
    writer.close()


async def nonsense(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Speaks something else."""
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n")
    await writer.drain()
    writer.close()


@pytest.fixture(params=["closed", silent, nonsense], ids=["closed", "silent", "nonsense"])
async def broken_port(request: pytest.FixtureRequest) -> AsyncIterator[int]:
    if request.param == "closed":
        yield free_ports(1)[0]
        return
    server = await asyncio.start_server(request.param, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@pytest.fixture
def url_with(url: str, port: int) -> Callable[[str], str]:
    """The broker's URL with other hosts."""
    return lambda hosts: url.replace(f"127.0.0.1:{port}", hosts) + "?connection_timeout=0.5"


async def test_the_second_node_is_used_when_the_first_is_broken(
    url_with: Callable[[str], str], port: int, broken_port: int
) -> None:
    app = Goatherd("shop", broker_url=url_with(f"127.0.0.1:{broken_port},127.0.0.1:{port}"))
    told = Told()

    @app.task
    async def greet(name: str) -> None:
        told(name)

    async with app.serve("worker"):
        await greet.send("Ada")
        assert await told.next() == "Ada"


async def test_without_any_node_the_time_is_limited(url_with: Callable[[str], str], broken_port: int) -> None:
    hosts = f"127.0.0.1:{broken_port},127.0.0.1:{free_ports(1)[0]}"
    began = time.monotonic()
    with pytest.raises(Unavailable) as caught:
        async with Goatherd("shop", broker_url=url_with(hosts)):
            pass
    assert hosts in str(caught.value)
    assert time.monotonic() - began < 10


async def test_a_node_that_goes_away_is_replaced_by_the_next(url_with: Callable[[str], str], port: int) -> None:
    async with Proxy(port) as first, Proxy(port) as second:
        app = Goatherd("shop", broker_url=url_with(f"127.0.0.1:{first.port},127.0.0.1:{second.port}"))
        told = Told()

        @app.task
        async def greet(name: str) -> None:
            told(name)

        async with app.serve("worker"):
            await greet.send("Ada")
            assert await told.next() == "Ada"
            first.refuse()
            first.cut()
            await greet.send("Grace")
            while await told.next() != "Grace":
                pass  # the first job comes again if its ack was cut off
