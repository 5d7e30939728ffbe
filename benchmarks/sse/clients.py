"""Clients that cost little: a protocol each, which only counts and takes times."""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, Protocol, TypeVar, cast

#: Connections that are made at the same time.
TOGETHER = 250
#: Seconds that a server may take to let everyone in, and to serve everyone once.
DEADLINE = 90.0

OPENED = b"retry: 2000"
TOKEN = b"event: token\n"
CONTENT = b'"content":"'
#: Digits of a moment in nanoseconds, so that several in one text can be told apart.
MOMENT = 20


class Refused(Exception):
    """The server did not let a client in, or sent one away."""


class Company(Protocol):
    """Those among whom a client is."""

    @property
    def leaving(self) -> bool:
        """Whether all are about to hang up."""

    def arrived(self, count: int) -> None:
        """So much of what is expected has come."""

    def failed(self, error: Exception) -> None:
        """One of them cannot go on."""


class Client(asyncio.Protocol):
    """One connection to a stream of events."""

    __slots__ = ("_crowd", "_open", "_request", "_rest", "transport")

    def __init__(self, crowd: Company, request: bytes) -> None:
        self._crowd = crowd
        self._request = request
        self._rest = b""
        self._open = False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The one of uvloop is none by its class.
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if self._rest:
            data, self._rest = self._rest + data, b""
        if not data.endswith(b"\r\n"):
            # A piece that was cut somewhere; the rest of it is on its way.
            self._rest = data
            return
        if not self._open:
            if not data.startswith(b"HTTP/1.1 200 "):
                self._crowd.failed(Refused(data[:300].decode(errors="replace")))
            elif OPENED not in data:
                self._rest = data
            else:
                self._open = True
                self._crowd.arrived(1)
                self.opened()
        if self._open:
            self.heard(data)

    def opened(self) -> None:
        """It has been let in."""

    def heard(self, data: bytes) -> None:
        """Whole lines have come."""

    def connection_lost(self, error: Exception | None) -> None:
        if not self._crowd.leaving:
            self._crowd.failed(Refused(f"a connection was lost: {error}"))


class Counting(Client):
    """Counts tokens."""

    __slots__ = ()

    def heard(self, data: bytes) -> None:
        self._crowd.arrived(data.count(TOKEN))


class Timing(Client):
    """Takes the time from the moment that is a token's text."""

    __slots__ = ("took",)

    def __init__(self, crowd: Company, request: bytes) -> None:
        super().__init__(crowd, request)
        self.took: list[int] = []

    def heard(self, data: bytes) -> None:
        now = time.monotonic_ns()
        place = data.find(CONTENT)
        while place >= 0:
            place += len(CONTENT)
            end = data.index(b'"', place)
            for begin in range(place, end, MOMENT):
                self.took.append(now - int(data[begin : begin + MOMENT]))
                self._crowd.arrived(1)
            place = data.find(CONTENT, end)


Kind = TypeVar("Kind", bound=Client)


class Crowd(Generic[Kind]):
    """Many clients of one server."""

    def __init__(self, port: int, kind: Callable[[Company, bytes], Kind]) -> None:
        self._port = port
        self._kind = kind
        self.clients: list[Kind] = []
        self.leaving = False
        self._count = 0
        self._wanted = 0
        self._reached: asyncio.Future[None] | None = None

    async def join(self, requests: Iterable[bytes]) -> Sequence[Kind]:
        """Connect one client for each request, and return when all have been let in."""
        waiting = list(requests)
        joined: list[Kind] = []
        for first in range(0, len(waiting), TOGETHER):
            some = waiting[first : first + TOGETHER]
            self.expect(len(some))
            joined += await asyncio.gather(*map(self._connect, some))
            await self.complete()
        return joined

    async def rush(self, requests: Iterable[bytes]) -> None:
        """Connect all of them at once; somebody else waits until they are let in."""
        await asyncio.gather(*map(self._connect, requests))

    def expect(self, more: int) -> None:
        """So many more things are to arrive."""
        self._wanted += more

    async def complete(self) -> None:
        """Return when all that was expected has arrived; raises Refused or TimeoutError."""
        self._reached = asyncio.get_running_loop().create_future()
        self._look()
        async with asyncio.timeout(DEADLINE):
            await self._reached

    def arrived(self, count: int) -> None:
        """Told by the clients."""
        self._count += count
        self._look()

    def failed(self, error: Exception) -> None:
        """Told by a client that cannot go on."""
        if self._reached is None:
            self._reached = asyncio.get_running_loop().create_future()
        if not self._reached.done():
            self._reached.set_exception(error)

    def leave(self) -> None:
        """Hang up everywhere."""
        self.leaving = True
        for client in self.clients:
            client.transport.abort()

    async def _connect(self, request: bytes) -> Kind:
        loop = asyncio.get_running_loop()
        _, client = await loop.create_connection(lambda: self._kind(self, request), "127.0.0.1", self._port)
        self.clients.append(client)
        return client

    def _look(self) -> None:
        if self._count >= self._wanted and self._reached is not None and not self._reached.done():
            self._reached.set_result(None)


def request(path: str, after: str = "") -> bytes:
    """What a browser asks with."""
    cursor = f"last-event-id: {after}\r\n" if after else ""
    return f"GET {path} HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n{cursor}\r\n".encode()
