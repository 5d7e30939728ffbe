"""Server-sent events, read from bytes as they come."""

from collections.abc import AsyncGenerator, AsyncIterable
from typing import NamedTuple

from goatherd.adapters.firebase.requests import Overlong


class ServerEvent(NamedTuple):
    """One event."""

    name: str
    data: bytes


async def events_in(parts: AsyncIterable[bytes], limit: int) -> AsyncGenerator[ServerEvent, None]:
    """Each event, however its bytes are cut; raises Overlong for one that is longer than the limit."""
    name, size = "message", 0
    data: list[bytes] = []
    async for line in lines_in(parts, limit):
        size += len(line)
        if size > limit:
            raise Overlong(f"an event has more than {limit:,} bytes")
        if not line:
            if data:
                yield ServerEvent(name, b"\n".join(data))
            name, data, size = "message", [], 0
            continue
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            name = value.decode(errors="replace")
        elif field == b"data":
            data.append(value)


async def lines_in(parts: AsyncIterable[bytes], limit: int) -> AsyncGenerator[bytes, None]:
    """Each line that has ended, by a line feed with or without a carriage return before it."""
    begun: list[bytes] = []
    size = 0
    async for part in parts:
        *ended, rest = part.split(b"\n")
        for line in ended:
            yield b"".join([*begun, line]).removesuffix(b"\r")
            begun, size = [], 0
        begun.append(rest)
        size += len(rest)
        if size > limit:
            raise Overlong(f"a line has more than {limit:,} bytes")
