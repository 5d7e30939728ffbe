"""A line to the broker on which its word that a consumer has ended is lost."""

import asyncio

from scripts.servers.proxy import Proxy

#: A method frame, and class and method of the broker's own Basic.Cancel.
METHOD, CANCEL = 1, b"\x00\x3c\x00\x1e"


class DeafLine(Proxy):
    """Passes everything on but `Basic.Cancel` from the broker: the connection lives, and the consumer does not."""

    def __init__(self, target_port: int) -> None:
        super().__init__(target_port)
        #: How often the broker's word was lost.
        self.swallowed = 0

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        if sink.get_extra_info("peername")[1] == self._target_port:
            await super()._pump(source, sink)
            return
        try:
            while True:
                head = await source.readexactly(7)
                rest = await source.readexactly(int.from_bytes(head[3:], "big") + 1)
                if head[0] == METHOD and rest.startswith(CANCEL):
                    self.swallowed += 1
                else:
                    sink.write(head + rest)
                    await sink.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            sink.transport.abort()
        finally:
            self._writers.discard(sink)
