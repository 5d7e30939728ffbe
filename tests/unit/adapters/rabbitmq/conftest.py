"""A scripted broker, and a connection to it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from goatherd.adapters.rabbitmq import link as link_module
from goatherd.adapters.rabbitmq.connection import Connection
from goatherd.adapters.rabbitmq.link import Link
from tests.unit.adapters.rabbitmq.books import Books
from tests.unit.adapters.rabbitmq.scripted_server import Conversation, ScriptedServer

Connect = Callable[..., Awaitable[tuple[Connection, Conversation]]]


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as server:
        yield server


@pytest.fixture
async def half_connect(server: ScriptedServer) -> AsyncIterator[Connect]:
    """Connect, and leave the handshake to the test."""
    made: list[Connection] = []

    async def connect(**address: Any) -> tuple[Connection, Conversation]:
        where = server.address(**address)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(lambda: Connection(where, "test"), *where.nodes[0])
        made.append(connection)
        return connection, await server.next()

    yield connect
    for connection in made:
        await connection.close(0.1)


@pytest.fixture
def connect(half_connect: Connect) -> Connect:
    """Connect, with the handshake done."""

    async def connect(**tune: Any) -> tuple[Connection, Conversation]:
        heartbeat = tune.get("heartbeat", 0)
        connection, talk = await half_connect(heartbeat=heartbeat)
        await talk.shake_hands(**tune)
        await connection.ready()
        return connection, talk

    return connect


@pytest.fixture
async def link(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Link]:
    """A link that comes back quickly; the test opens it."""
    monkeypatch.setattr(link_module, "FIRST_PAUSE", 0.01)
    link = Link(server.address(), "test")
    yield link
    await link.abort()


@pytest.fixture
def books() -> Books:
    """What the scripted broker has."""
    return Books()
