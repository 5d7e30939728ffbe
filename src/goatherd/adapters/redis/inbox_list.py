"""Commands that are items of a list.

Items have no key, and two that are equal are two commands. So what is taken from the list is moved, in one step, to a
hash of ours under a key that nobody has used before, and it is there until it is removed by that key.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from uuid import uuid4

from goatherd.adapters.redis.commands import Commands
from goatherd.adapters.redis.inbox_address import InboxPlace
from goatherd.adapters.redis.inbox_link import InboxLink
from goatherd.adapters.redis.scripts import INBOX_TAKE
from goatherd.model.command import Command

#: Items that are taken at once.
BATCH = 200
#: Seconds between two looks at an empty list.
LOOK_EVERY = 0.25
#: Seconds between two looks for those that somebody took and did not finish.
READ_EVERY = 10.0


class RedisListCommands:
    """Satisfies `CommandSource`."""

    def __init__(self, place: InboxPlace, deadline: float) -> None:
        self._list = place.key
        # On the same node of a cluster as the list.
        self._taken = f"{place.key if '{' in place.key else f'{{{place.key}}}'}:goatherd:taken"
        self._link = InboxLink(place.address, deadline, [INBOX_TAKE])

    async def commands(self) -> AsyncGenerator[Sequence[Command], None]:
        clock = asyncio.get_running_loop().time
        async with self._link.listening() as server:
            read_at = clock()
            while True:
                if clock() >= read_at:
                    async with aclosing(self._unfinished(server)) as pages:
                        async for page in pages:
                            yield page
                    read_at = clock() + READ_EVERY
                taken = await server.run(INBOX_TAKE, (self._list, self._taken), uuid4().hex, BATCH)
                yield _commands(taken)
                if not taken:
                    await asyncio.sleep(LOOK_EVERY)

    async def remove(self, keys: Sequence[str]) -> None:
        if keys:
            await self._link.do("HDEL", self._taken, *keys)

    async def close(self) -> None:
        await self._link.close()

    async def _unfinished(self, server: Commands) -> AsyncGenerator[Sequence[Command], None]:
        cursor = b"0"
        while True:
            cursor, found = await server.do("HSCAN", self._taken, cursor, "COUNT", BATCH)
            yield _commands(found)
            if cursor == b"0":
                return


def _commands(told: Sequence[bytes]) -> list[Command]:
    return [Command(key=key.decode(), body=body) for key, body in zip(told[::2], told[1::2], strict=True)]
