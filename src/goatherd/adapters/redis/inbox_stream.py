"""Commands that are entries of a stream, read by a consumer group.

An entry with the one field `command` is that JSON; of any other, each field is a member, which is a text.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import msgspec
from redis.exceptions import ResponseError

from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.inbox_address import InboxPlace
from goatherd.adapters.redis.inbox_link import InboxLink
from goatherd.errors import Unavailable
from goatherd.model.command import Command

#: Entries that are taken at once.
BATCH = 200
#: Milliseconds for which the server waits for the next entry, well below what an answer may take.
BLOCK = 2000
#: All processes are one reader, so that nothing is left of those that end.
READER = "goatherd"


class RedisStreamCommands:
    """Satisfies `CommandSource`."""

    def __init__(self, place: InboxPlace, deadline: float, idle: float) -> None:
        self._stream = place.key
        self._group = place.group or "goatherd"
        #: Seconds after which an entry that somebody took and did not finish is given again.
        self._idle = idle
        self._link = InboxLink(place.address, deadline)

    async def commands(self) -> AsyncGenerator[Sequence[Command], None]:
        clock = asyncio.get_running_loop().time
        async with self._link.listening() as server:
            await self._have_group(server)
            claim_at = clock()
            while True:
                if clock() >= claim_at:
                    async with aclosing(self._left_behind(server)) as pages:
                        async for page in pages:
                            yield page
                    claim_at = clock() + self._idle / 2
                asked = ("GROUP", self._group, READER, "COUNT", BATCH, "BLOCK", BLOCK, "STREAMS", self._stream, ">")
                heard = await server.do("XREADGROUP", *asked)
                yield _commands(heard[0][1]) if heard else []

    async def remove(self, keys: Sequence[str]) -> None:
        if keys:
            await self._link.do("XACK", self._stream, self._group, *keys)
            await self._link.do("XDEL", self._stream, *keys)

    async def close(self) -> None:
        await self._link.close()

    async def _have_group(self, server: Commands) -> None:
        try:
            await server.do("XGROUP", "CREATE", self._stream, self._group, "0", "MKSTREAM")
        except Unavailable as error:
            if not isinstance(error.__cause__, ResponseError) or "BUSYGROUP" not in str(error.__cause__):
                raise

    async def _left_behind(self, server: Commands) -> AsyncGenerator[Sequence[Command], None]:
        """Entries that were given to somebody who did not remove them."""
        after: Any = "0-0"
        idle = round(self._idle * 1000)
        while True:
            claim = (self._stream, self._group, READER, idle, after, "COUNT", BATCH)
            after, found, *_ = await server.do("XAUTOCLAIM", *claim)
            yield _commands([entry for entry in found if entry is not None])
            if after == b"0-0":
                return


def _commands(entries: Sequence[Any]) -> list[Command]:
    # Of an entry that was deleted, older servers tell the id alone.
    return [Command(key=id.decode(), body=_body(fields)) for id, fields in entries if fields is not None]


def _body(fields: Sequence[bytes]) -> bytes:
    if len(fields) == 2 and fields[0] == b"command":
        return fields[1]
    texts = [field.decode(errors="backslashreplace") for field in fields]
    return msgspec.json.encode(dict(zip(texts[::2], texts[1::2], strict=True)))
