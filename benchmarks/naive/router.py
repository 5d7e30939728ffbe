"""The router: reads as a consumer group, marks an event as published, publishes it, acknowledges."""

import asyncio
import json
import sys
import time
from typing import Any

import redis.asyncio
from redis.exceptions import RedisError, ResponseError

from benchmarks.naive.names import GROUP, MARK_TTL, PREFIX, SHARDS, TTL, channel_of, state_of

BLOCK_MS, COUNT = 1000, 100
#: Seconds between two looks for events that another router took and did not finish, and their age.
RECLAIM_EVERY, RECLAIM_IDLE_MS = 2.0, 5000

#: Mark it, and let the state go forward; false if it is marked.
MARK = """
if not redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[1]) then return 0 end
if ARGV[3] ~= 'token' and tonumber(ARGV[4]) > tonumber(redis.call('HGET', KEYS[2], 'seq') or -1) then
    redis.call('HSET', KEYS[2], 'event', ARGV[5], 'seq', ARGV[4])
    redis.call('EXPIRE', KEYS[2], ARGV[2])
end
return 1
"""

STREAMS = [f"{PREFIX}:events:{shard}" for shard in range(SHARDS)]


async def route(server: Any, stream: bytes, number: bytes, fields: dict[bytes, bytes]) -> None:
    """One event."""
    job, body = fields[b"job"].decode(), fields[b"event"]
    event = json.loads(body)
    marker = f"{PREFIX}:router:published:{job}:{event['attempt']}:{event['seq']}"
    arguments = (MARK_TTL, TTL, event["stage"], event["seq"], body)
    if await server.eval(MARK, 2, marker, state_of(job), *arguments):
        await server.publish(channel_of(job), body)
    await server.xack(stream, GROUP, number)


async def main(url: str) -> None:
    server: Any = redis.asyncio.Redis.from_url(url)
    reclaimed = time.monotonic()
    while True:
        try:
            await _join(server)
            while True:
                wanted = dict.fromkeys(STREAMS, ">")
                taken = await server.xreadgroup(GROUP, "router", wanted, count=COUNT, block=BLOCK_MS)
                for stream, entries in taken:
                    for number, fields in entries:
                        await route(server, stream, number, fields)
                if time.monotonic() - reclaimed > RECLAIM_EVERY:
                    reclaimed = time.monotonic()
                    await _reclaim(server)
        except (RedisError, OSError):
            await asyncio.sleep(0.1)


async def _join(server: Any) -> None:
    for stream in STREAMS:
        try:
            await server.xgroup_create(stream, GROUP, id="0", mkstream=True)
        except ResponseError as error:
            if "BUSYGROUP" not in str(error):
                raise


async def _reclaim(server: Any) -> None:
    for stream in STREAMS:
        _, entries, *_ = await server.xautoclaim(stream, GROUP, "router", RECLAIM_IDLE_MS, "0-0", count=COUNT)
        for number, fields in entries:
            await route(server, stream.encode(), number, fields)


if __name__ == "__main__":
    print("The router has begun", file=sys.stderr)
    asyncio.run(main(sys.argv[1]))
