"""A TCP proxy that misbehaves on demand: cuts, stalls, delays, and half-open connections."""

import asyncio
from typing import Self


class Proxy:
    """Stands between a client and a server on loopback."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._server: asyncio.Server | None = None
        self._pipes: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._refusing = False
        #: Seconds that every piece of data waits.
        self.delay = 0.0

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.sockets[0].getsockname()[1])

    @property
    def connections(self) -> int:
        """How many clients are connected through it now."""
        return len(self._pipes) // 2

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        self.cut()
        for pipe in list(self._pipes):
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    def cut(self) -> None:
        """Reset every connection now; new ones are let through."""
        for writer in list(self._writers):
            writer.transport.abort()

    def stall(self) -> None:
        """Let nothing through in either direction, and keep the connections open: a half-dead network."""
        self._flowing.clear()

    def flow(self) -> None:
        """Let everything through again."""
        self._flowing.set()

    def refuse(self, *, refusing: bool = True) -> None:
        """Take no new connections, or take them again."""
        self._refusing = refusing

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refusing:
            writer.transport.abort()
            return
        try:
            onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            writer.transport.abort()
            return
        self._writers |= {writer, onward_writer}
        for source, sink in ((reader, onward_writer), (onward_reader, writer)):
            pipe = asyncio.create_task(self._pump(source, sink), name="proxy")
            self._pipes.add(pipe)
            pipe.add_done_callback(self._pipes.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while piece := await source.read(65536):
                await self._flowing.wait()
                if self.delay:
                    await asyncio.sleep(self.delay)
                sink.write(piece)
                await sink.drain()
        except (OSError, asyncio.CancelledError):
            sink.transport.abort()
        else:
            sink.close()
        finally:
            self._writers.discard(sink)
