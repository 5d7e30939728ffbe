"""The limit: an asyncio protocol on uvloop that writes ready frames to sockets, and can do nothing else.

`GET` adds a client; `POST` makes one event out of its body and writes it to everyone. There are no jobs.
"""

import asyncio
import sys
from typing import cast

import uvloop

from benchmarks.sse.frames import frame

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\ncache-control: no-store\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
DONE = b"HTTP/1.1 204 No Content\r\n\r\n"

clients: set[asyncio.Transport] = set()


class Connection(asyncio.Protocol):
    """A client, or whoever makes events."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._seq = 0

    def data_received(self, data: bytes) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        if head.startswith(b"GET"):
            clients.add(self._transport)
            self._transport.write(HEAD + chunk(b"retry: 2000\n\n"))
            return
        self._seq += 1
        piece = chunk(frame(self._seq, body.decode()))
        for client in clients:
            client.write(piece)
        self._transport.write(DONE)

    def connection_lost(self, _error: Exception | None) -> None:
        clients.discard(self._transport)


def chunk(piece: bytes) -> bytes:
    """As HTTP/1.1 sends a part of a body of unknown length."""
    return b"%x\r\n%s\r\n" % (len(piece), piece)


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
