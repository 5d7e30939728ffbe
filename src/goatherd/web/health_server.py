"""A very small HTTP server in a thread of its own, for pages that must be served whatever the program does."""

import asyncio
import logging
import socket
import threading
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TypeAlias

from goatherd.web.listening import listen_on
from goatherd.web.responses import Response

#: What to say to who asks for a path.
Answerer: TypeAlias = Callable[[str], Awaitable[Response]]

#: Seconds that one conversation may take, and bytes of a request.
DEADLINE, LARGEST = 10.0, 16 * 1024
#: Conversations at once; those who come then are sent away.
MOST = 64
#: Seconds that the thread gets to end.
LAST_MOMENT = 5.0

log = logging.getLogger("goatherd.health")


def listen(host: str, port: int) -> socket.socket:
    """A socket for who asks for health; raises CannotListen."""
    return listen_on(host, port, who="The health page", options="--health-", backlog=128)


class HealthServer:
    """`start` it, and `stop` it; takes the socket over."""

    def __init__(self, listening: socket.socket, answer: Answerer) -> None:
        self._listening = listening
        self._answer = answer
        self._talking = 0
        self._loop = asyncio.new_event_loop()
        self._over = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="goatherd-health", daemon=True)

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Serve no more; waits for a moment until the thread has ended."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
            self._thread.join(LAST_MOMENT)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._talk, sock=self._listening, limit=LARGEST)
        try:
            await self._over.wait()
        finally:
            # Who is still being answered is not waited for.
            server.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._talking += 1
        try:
            if self._talking <= MOST:
                async with asyncio.timeout(DEADLINE):
                    writer.write(await self._said(reader))
                    await writer.drain()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError) as error:
            log.debug("Somebody who asked for health was not answered: %r", error)
        finally:
            self._talking -= 1
            writer.close()

    async def _said(self, reader: asyncio.StreamReader) -> bytes:
        request = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = request.partition(b"\r\n")[0].decode("latin-1").partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method not in ("GET", "HEAD"):
            return on_the_wire(
                Response(status=405, body=b"This can only be read.\n", headers=[(b"allow", b"GET, HEAD")])
            )
        try:
            response = await self._answer(path)
        except Exception:
            log.exception("%s could not be answered; this is a fault of Goatherd", path)
            response = Response(status=500, body=b"This could not be found out; the log says why.\n")
        return on_the_wire(response, with_body=method == "GET")


def on_the_wire(response: Response, *, with_body: bool = True) -> bytes:
    """As HTTP/1.1 has it, for a connection that ends with it."""
    headers = [
        *response.headers,
        (b"content-type", response.type),
        (b"content-length", str(len(response.body)).encode()),
        (b"connection", b"close"),
    ]
    lines = [f"HTTP/1.1 {response.status} {HTTPStatus(response.status).phrase}".encode()]
    lines += [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + (response.body if with_body else b"")
