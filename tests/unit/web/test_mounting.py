"""The gateway inside other web services, on real sockets."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount

from goatherd import Goatherd
from goatherd.testing.suites.event_store import Author, done
from goatherd.web import gateway as make_gateway
from goatherd.web.server import Server, listen
from goatherd.web.site import Site
from tests.unit.web.reader import Reader

PATIENCE = 20


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """Serve an app on a free port; gives its address."""
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, ws="none", timeout_graceful_shutdown=1))
    with listen("127.0.0.1", 0) as listening:
        task = asyncio.create_task(server.serve([listening]))
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            await asyncio.wait_for(task, PATIENCE)


async def read_all(address: str, author: Author, token: str) -> Reader:
    """Watch a job while it is done."""
    reader, url = Reader(), f"{address}/{author.job}/events"
    headers = {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(timeout=PATIENCE) as client, client.stream("GET", url, headers=headers) as response:
        assert response.status_code == 200, await response.aread()
        pieces = response.aiter_bytes()
        while "token_recovery" not in reader.events:
            reader.feed(await anext(pieces))
        for number in range(20):
            await author.say(f"{number} ")
        await author.write(done())
        async for piece in pieces:
            reader.feed(piece)
    return reader


def in_starlette(app: Goatherd) -> Any:
    compressing = [Middleware(GZipMiddleware, minimum_size=10)]
    return Starlette(routes=[Mount("/api/v1", make_gateway(app))], middleware=compressing)


def in_fastapi(app: Goatherd) -> Any:
    @asynccontextmanager
    async def lifespan(_web: FastAPI) -> AsyncIterator[None]:
        async with app:
            yield

    web = FastAPI(lifespan=lifespan)
    web.mount("/api/v1", make_gateway(app))
    return web


def below_two_mounts(app: Goatherd) -> Any:
    web = FastAPI()
    web.mount("/api", Starlette(routes=[Mount("/v1", make_gateway(app))]))
    return web


@pytest.mark.parametrize("mount", [in_starlette, in_fastapi, below_two_mounts])
async def test_mounted(mount: Callable[[Goatherd], Any], app: Goatherd, author: Author, token: str) -> None:
    async with serving(mount(app)) as address:
        reader = await read_all(f"{address}/api/v1/shop", author, token)
        async with httpx2.AsyncClient() as client:
            script = await client.get(f"{address}/api/v1/goatherd.js")
            nothing = await client.get(f"{address}/api/v1/shop/x")
    assert reader.text == "".join(f"{number} " for number in range(20))
    assert reader.ended
    assert (script.status_code, nothing.status_code) == (200, 404)


class Running:
    """The gateway by itself."""

    def __init__(self, server: Server, address: str) -> None:
        self.server, self.address = server, address

    async def get(self, path: str) -> tuple[int, str]:
        async with httpx2.AsyncClient(timeout=PATIENCE) as client:
            response = await client.get(self.address + path)
            return response.status_code, response.text


@pytest.fixture
async def running(app: Goatherd) -> AsyncIterator[Callable[[], Awaitable[Running]]]:
    tasks: list[asyncio.Task[None]] = []
    servers: list[Server] = []

    async def run() -> Running:
        listening = listen("127.0.0.1", 0)
        servers.append(Server(make_gateway(app), drain=0.3))
        tasks.append(asyncio.create_task(servers[-1].serve([listening])))
        return Running(servers[-1], f"http://127.0.0.1:{listening.getsockname()[1]}")

    yield run
    for server in servers:
        server.stop()
    await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE)


async def test_by_itself(running: Callable[[], Awaitable[Running]], author: Author, token: str) -> None:
    alone = await running()
    reader = await read_all(f"{alone.address}/api/v1/shop", author, token)
    assert reader.text == "".join(f"{number} " for number in range(20))
    status, text = await alone.get("/livez")
    assert (status, json.loads(text)["alive"]) == (200, True)
    status, text = await alone.get("/readyz")
    told = json.loads(text)
    assert (status, told["ready"], told["reasons"], told["roles"]) == (200, True, [], ["gateway"])
    assert told["ports"] == {"events": "up"}
    status, text = await alone.get("/metrics")
    assert (status, "sse_gateway_events_distributed_total" in text) == (200, True)
    assert (await alone.get("/elsewhere"))[0] == 404


# The file is gone with the last who has it open.
@pytest.mark.parametrize("settings", [{"report_every": 0}], indirect=True)
async def test_it_is_not_ready_when_events_cannot_be_read(
    running: Callable[[], Awaitable[Running]], app: Goatherd, settings: dict[str, Any], tmp_path: Any
) -> None:
    alone = await running()
    assert (await alone.get("/readyz"))[0] == 200
    place = alone.server._gateway.place
    await (await place.sources.of(app)).events.close()
    status, text = await alone.get("/readyz")
    told = json.loads(text)
    assert (status, told["ready"], told["ports"]) == (503, False, {"events": "down"})
    assert told["reasons"][0].startswith("events: ")


async def test_of_several_apps_the_one_is_named_whose_events_cannot_be_read(
    app: Goatherd, settings: dict[str, Any], tmp_path: Any
) -> None:
    other = Goatherd("other", **{**settings, "broker_url": f"sqlite:///{tmp_path}/other.db"})
    both = make_gateway(app, other)
    site = Site(both)
    try:
        assert (await site._health()).ports == {"events of shop": "up", "events of other": "up"}
        await (await both.place.sources.of(other)).events.close()
        health = await site._health()
        assert (health.ready, health.ports) == (False, {"events of shop": "up", "events of other": "down"})
        [reason] = health.reasons
        assert reason.startswith("events of other: ")
    finally:
        await site.close()
        await both.close()


async def test_clients_are_sent_away_when_it_stops(
    running: Callable[[], Awaitable[Running]], author: Author, token: str
) -> None:
    alone, reader = await running(), Reader()
    url = f"{alone.address}/api/v1/shop/{author.job}/events?token={token}"
    async with httpx2.AsyncClient(timeout=PATIENCE) as client, client.stream("GET", url) as response:
        pieces = response.aiter_bytes()
        while "token_recovery" not in reader.events:
            reader.feed(await anext(pieces))
        alone.server.stop()
        async for piece in pieces:
            reader.feed(piece)
    assert reader.frames[-1].event == "reconnect"


async def test_a_client_that_stalls_and_reads_on_misses_nothing(
    running: Callable[[], Awaitable[Running]], author: Author, token: str
) -> None:
    alone = await running()
    host, _, port = alone.address.removeprefix("http://").partition(":")
    # The least that the client's own system takes for it, so that the gateway has to wait soon.
    mine = socket.socket()
    mine.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    mine.setblocking(False)
    await asyncio.get_running_loop().sock_connect(mine, (host, int(port)))
    reader, writer = await asyncio.open_connection(sock=mine, limit=4096)
    writer.write(f"GET /api/v1/shop/{author.job}/events?token={token} HTTP/1.1\r\nhost: x\r\n\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    told, wanted = Reader(), ""
    while "token_recovery" not in told.events:
        told.feed(await chunk(reader))
    for number in range(300):
        words = f"{number} " * 500
        await author.say(words)
        wanted += words
    await author.write(done())
    async with asyncio.timeout(PATIENCE):
        while piece := await chunk(reader):
            told.feed(piece)
    writer.close()
    assert told.text == wanted
    assert told.events[-1] == "done"


async def chunk(reader: asyncio.StreamReader) -> bytes:
    """The next part of a body, empty at the end."""
    size = int(await reader.readuntil(b"\r\n"), 16)
    return (await reader.readexactly(size + 2))[:-2]
