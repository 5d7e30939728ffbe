"""A line to Redis on which live messages get lost or doubled, and everything else arrives."""

import asyncio
import random

from scripts.servers.proxy import Proxy

#: In the older and in the newer version of the protocol.
MESSAGES = (b"*3\r\n$7\r\nmessage\r\n", b">3\r\n$7\r\nmessage\r\n")


class LossyProxy(Proxy):
    """Knows as much of the protocol as it takes to find whole messages in what a server says to its subscribers."""

    def __init__(self, target_port: int, chance: random.Random) -> None:
        super().__init__(target_port)
        self._chance = chance
        #: The part of all messages that is lost, and that is told twice.
        self.lost = 0.0
        self.doubled = 0.0
        #: Whether the last event of a job always arrives.
        self.spare_ends = False
        self.messages = 0
        self.dropped = 0

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            if self._is_client(sink):
                await self._tell(source, sink)
        except (OSError, EOFError, asyncio.CancelledError):
            sink.transport.abort()
            self._writers.discard(sink)
            return
        await super()._pump(source, sink)

    def _is_client(self, sink: asyncio.StreamWriter) -> bool:
        return bool(sink.get_extra_info("peername")[1] != self._target_port)

    async def _tell(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Pass on answers one by one."""
        while answer := await _answer(source):
            await self._flowing.wait()
            for _ in range(self._times(answer)):
                sink.write(answer)
            await sink.drain()

    def _times(self, answer: bytes) -> int:
        if not answer.startswith(MESSAGES):
            return 1
        self.messages += 1
        if self._chance.random() < self.lost and not (self.spare_ends and _is_end(answer)):
            self.dropped += 1
            return 0
        return 2 if self._chance.random() < self.doubled else 1


def _is_end(answer: bytes) -> bool:
    return b" done {" in answer or b" failed {" in answer


#: What has others within it, and how many for each that it counts.
_AGGREGATES = {b"*": 1, b">": 1, b"~": 1, b"%": 2}


async def _answer(source: asyncio.StreamReader) -> bytes:
    """One whole answer; empty at the end."""
    line = await source.readline()
    parts = [line]
    kind, rest = line[:1], line[1:-2]
    if kind in _AGGREGATES:
        parts += [await _answer(source) for _ in range(_AGGREGATES[kind] * int(rest))]
    elif kind in (b"$", b"=", b"!") and rest != b"-1":
        parts.append(await source.readexactly(int(rest) + 2))
    return b"".join(parts)
