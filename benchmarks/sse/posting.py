"""Make events by asking the server itself for them: for those who keep none."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

#: Seconds that a server may take for one event, however many clients it has.
DEADLINE = 60.0


class Posting:
    """Satisfies `Feed`: one connection, one `POST` for each event."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def begin(self, job: str) -> None:
        """Nothing to do: a job is made by its first event."""

    async def say(self, job: str, text: str, times: int = 1) -> None:
        body = text.encode()
        head = f"POST /{job}/events HTTP/1.1\r\nhost: bench\r\ncontent-length: {len(body)}\r\n\r\n"
        for _ in range(times):
            self._writer.write(head.encode() + body)
            async with asyncio.timeout(DEADLINE):
                answer = await self._reader.readuntil(b"\r\n\r\n")
            if b" 204 " not in answer:
                raise RuntimeError(f"the server did not take an event: {answer!r}")


@asynccontextmanager
async def posting(port: int) -> AsyncIterator[Posting]:
    """Open the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Posting(reader, writer)
    finally:
        writer.close()
