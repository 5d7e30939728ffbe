"""As much of HTTP/1.1 as a client of streams needs."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Self

#: Seconds for the first bytes of an answer, and without any sign of life after them.
DEADLINE, SILENCE = 15.0, 40.0
#: Bytes that the system keeps for a client that reads slowly.
SMALL = 4096


class NoStream(Exception):
    """The server answered, but with something else."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"{status}: {body[:200]!r}")
        self.status = status
        self.body = body


class Response:
    """The body of an answer, as it comes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, length: int | None) -> None:
        self._reader = reader
        self._writer = writer
        #: Of the body; None if it comes in chunks.
        self._length = length

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        # As one who pulls the plug: whatever is on its way is lost.
        self._writer.transport.abort()

    async def lines(self) -> AsyncIterator[str]:
        """Whole lines; LF, CR and CRLF end one, and nothing else does."""
        rest = b""
        async for piece in self._pieces():
            rest += piece
            *whole, rest = rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
            for line in whole:
                yield line.decode()

    async def whole(self) -> bytes:
        return b"".join([piece async for piece in self._pieces()])

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self._length is not None:
            yield await self._reader.readexactly(self._length)
            return
        while True:
            async with asyncio.timeout(SILENCE):
                size = await self._size()
                piece = await self._reader.readexactly(size + 2)
            if not size:
                return
            yield piece[:-2]

    async def _size(self) -> int:
        line = await self._reader.readline()
        if not line.endswith(b"\n"):
            raise EOFError("the stream broke off")
        return int(line, 16)


async def get(port: int, path: str, headers: str = "", *, small: bool = False) -> Response:
    """Ask a server on this machine; raises NoStream unless it answers with 200, OSError or EOFError if it is gone."""
    connection = socket.socket()
    connection.setblocking(False)
    if small:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    try:
        async with asyncio.timeout(DEADLINE):
            await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", port))
            reader, writer = await asyncio.open_connection(sock=connection, limit=SMALL if small else 2**20)
    except TimeoutError as error:
        connection.close()
        raise OSError("no connection in time") from error
    except BaseException:
        connection.close()
        raise
    try:
        return await _answer(reader, writer, path, headers)
    except BaseException:
        writer.transport.abort()
        raise


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, headers: str) -> Response:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: chaos\r\nAccept: text/event-stream\r\n{headers}\r\n".encode())
    async with asyncio.timeout(DEADLINE):
        lines = [await reader.readline()]
        while lines[-1] not in (b"\r\n", b""):
            lines.append(await reader.readline())
    if lines[-1] == b"":
        raise EOFError("the server hung up")
    status = int(lines[0].split()[1])
    named = dict(line.lower().split(b":", 1) for line in lines[1:-1])
    length = None if b"chunked" in named.get(b"transfer-encoding", b"") else int(named.get(b"content-length", b"0"))
    if status == 200:
        return Response(reader, writer, length)
    raise NoStream(status, await reader.readexactly(length or 0))
