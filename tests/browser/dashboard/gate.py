"""Where jobs of the kiosk wait for the story, so that the story waits for them and nobody sleeps."""

import asyncio
from collections import defaultdict
from typing import Self

#: Seconds after which a story gives up.
PATIENCE = 60.0


class Guest:
    """A job that is running."""

    def __init__(self, name: str, line: asyncio.StreamWriter) -> None:
        self.name = name
        self._line = line

    async def hear(self, words: str) -> None:
        """Let it go on with these."""
        self._line.write(f"{words}\n".encode())
        await self._line.drain()

    def let_go(self) -> None:
        """Let it end."""
        self._line.close()


class Gate:
    """The place where jobs arrive, by their names."""

    def __init__(self) -> None:
        self._came: dict[str, asyncio.Queue[Guest]] = defaultdict(asyncio.Queue)
        self._guests: list[Guest] = []

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for guest in self._guests:
            guest.let_go()
        await asyncio.wait_for(self._server.wait_closed(), PATIENCE)

    @property
    def port(self) -> int:
        """Where jobs find it."""
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def next(self, name: str) -> Guest:
        """The next job of this name."""
        return await asyncio.wait_for(self._came[name].get(), PATIENCE)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        guest = Guest((await reader.readline()).decode().rstrip("\n"), writer)
        self._guests.append(guest)
        self._came[guest.name].put_nowait(guest)
