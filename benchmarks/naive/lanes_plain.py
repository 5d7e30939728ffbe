"""The plain way to do jobs of a key in order, written down as it is usually drawn, to see how much it loses.

Each key has a list of what is to be done, and a lock that lets only one job of it exist at a time: `SETNX`, then
`EXPIRE`. A job carries only the key. It takes the next item off the list, works, and schedules its successor while the
list is not empty; else it gives up the lock in the same step that finds the list empty. Every process also looks, as
often as locks last, for keys with a list and without a lock, and starts them again.

It is a baseline for fault runs and speed and nothing else: never use it, and the package never imports it. It is not
made worse than it must be: what follows on each other is sent in one go where order allows it, and jobs that die with
their worker are not missed, because the search finds their keys.

    python -m benchmarks.naive.lanes_plain REDIS_URL CONCURRENCY LOCK_SECONDS MODULE:FUNCTION
"""

import asyncio
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import redis.asyncio

PREFIX = "plain"
#: How long a lock lasts that nobody extends.
LOCK_SECONDS = 30.0
KEYS, JOBS = f"{PREFIX}:keys", f"{PREFIX}:jobs"

#: The list is empty: give up the lock. Else: false.
CLEAR = """
if redis.call('LLEN', KEYS[3]) > 0 then return 0 end
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('SREM', KEYS[1], ARGV[1])
return 1
"""

Handler = Callable[[str, bytes], None]


def list_of(key: str) -> str:
    """What is to be done for a key."""
    return f"{PREFIX}:data:{key}"


def lock_of(key: str) -> str:
    """Is there while a job of the key is."""
    return f"{PREFIX}:lock:{key}"


class PlainLanes:
    """The lists and locks of one Redis."""

    def __init__(self, server: Any, lock_seconds: float = LOCK_SECONDS) -> None:
        self._server = server
        self._milliseconds = int(lock_seconds * 1000)

    async def add(self, key: str, item: bytes) -> None:
        """Put an item at the end of its list, and start the key if no job of it is."""
        async with self._server.pipeline(transaction=False) as together:
            await together.rpush(list_of(key), item).sadd(KEYS, key).execute()
        await self._start(key)

    async def _start(self, key: str) -> None:
        if await self._server.setnx(lock_of(key), "1"):
            await self._server.pexpire(lock_of(key), self._milliseconds)
            await self._server.rpush(JOBS, key)

    async def next_job(self) -> str | None:
        """The key of the next job; None if there is none for a second."""
        found = await self._server.blpop([JOBS], timeout=1)
        return None if found is None else found[1].decode()

    async def take(self, key: str) -> bytes | None:
        """The next item of a key; from here on it is nowhere else."""
        item: bytes | None = await self._server.lpop(list_of(key))
        return item

    async def go_on(self, key: str) -> None:
        """Schedule the successor, or give up the lock."""
        if not await self._server.eval(CLEAR, 3, KEYS, lock_of(key), list_of(key), key):
            await self._server.pexpire(lock_of(key), self._milliseconds)
            await self._server.rpush(JOBS, key)

    async def work(self, handler: Handler) -> None:
        """Do one job after the other."""
        while True:
            key = await self.next_job()
            if key is None:
                continue
            item = await self.take(key)
            if item is not None:
                await asyncio.to_thread(handler, key, item)
            await self.go_on(key)

    async def search(self) -> None:
        """Start keys whose lock has gone, again and again; each time it looks at all of them."""
        while True:
            await asyncio.sleep(self._milliseconds / 1000)
            for key in await self._server.smembers(KEYS):
                await self._start(key.decode())

    async def left(self) -> int:
        """Items that wait."""
        return sum((await self.waiting()).values())

    async def waiting(self) -> dict[str, int]:
        """How many items wait for each key."""
        keys = sorted(key.decode() for key in await self._server.smembers(KEYS))
        async with self._server.pipeline(transaction=False) as together:
            for key in keys:
                together.llen(list_of(key))
            lengths = await together.execute()
        return {key: length for key, length in zip(keys, lengths, strict=True) if length}

    async def ready(self) -> int:
        """Keys whose job waits for a worker."""
        return int(await self._server.llen(JOBS))

    async def stuck(self) -> list[str]:
        """Keys that wait behind a lock that never expires."""
        keys = list(await self.waiting())
        return [key for key in keys if await self._server.pttl(lock_of(key)) == -1]


async def main(url: str, concurrency: str, lock_seconds: str, handler: str) -> None:
    module, _, name = handler.partition(":")
    function: Handler = getattr(import_module(module), name)
    async with redis.asyncio.Redis.from_url(url) as server:
        lanes = PlainLanes(server, float(lock_seconds))
        async with asyncio.TaskGroup() as group:
            group.create_task(lanes.search(), name="search")
            for _ in range(int(concurrency)):
                group.create_task(lanes.work(function), name="work")


if __name__ == "__main__":
    print(f"plain lanes: {os.getpid()} works", file=sys.stderr)
    asyncio.run(main(*sys.argv[1:]))
