"""What is done to the event path."""

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import redis.asyncio
from redis.exceptions import RedisError

from tests.faults.live.arena import Arena

#: What is done, and what it is called in the tally.
Harm: TypeAlias = Callable[[Arena], Awaitable[str]]


async def gateway_killed(arena: Arena) -> str:
    """`kill -9`, and started again on its port."""
    gateway = arena.chance.choice(arena.gateways)
    await gateway.kill()
    await gateway.start()
    return "gateways killed"


async def router_killed(arena: Arena) -> str:
    for router in arena.routers:
        await router.kill()
        await router.start()
    return "routers killed"


async def scribe_killed(arena: Arena) -> str:
    """A worker dies in the middle of its attempts, which are given to others."""
    scribe = arena.chance.choice([each for each in arena.scribes if not each.frozen])
    await scribe.kill()
    arena.give_up(scribe)
    await scribe.start()
    return "writers killed"


async def scribe_frozen(arena: Arena) -> str:
    """A worker is taken for dead, its attempts are done by others, and then it goes on as if nothing had been."""
    well = [each for each in arena.scribes if not each.frozen]
    if len(well) < 2:
        return "writers spared"
    scribe = arena.chance.choice(well)
    scribe.frozen = True
    scribe.signal(signal.SIGSTOP)
    arena.give_up(scribe)
    await asyncio.sleep(arena.chance.random())
    scribe.signal(signal.SIGCONT)
    scribe.frozen = False
    return "writers frozen, then zombies"


async def redis_killed(arena: Arena) -> str:
    """`kill -9`, and after a while it is started again with its append-only file."""
    server = arena.chance.choice([arena.redis, arena.live_redis])
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(arena.chance.random())
    await asyncio.to_thread(server.start)
    return "Redis killed"


async def lines_cut(arena: Arena) -> str:
    """The connections of gateways and of writers are reset; answers that were on their way are lost."""
    arena.chance.choice([arena.live, arena.line]).cut()
    return "lines to Redis cut"


async def subscribers_killed(arena: Arena) -> str:
    """Redis itself throws out those who listen."""
    async with redis.asyncio.Redis.from_url(arena.live_redis.url) as operator:
        try:
            await operator.client_kill_filter(_type="pubsub")
        except RedisError:
            return "Redis not met"
    return "subscribers thrown out"


#: Only while it is at work: of one that has ended, the text would be gone for those who have not seen it.
FORGET = "return redis.call('HGET', KEYS[1], 'closed') ~= '1' and redis.call('UNLINK', unpack(KEYS)) or 0"


async def job_expired(arena: Arena) -> str:
    """The store forgets a job that is at work."""
    jobs = arena.jobs
    if not jobs:
        return "nothing to expire"
    job = arena.chance.choice(jobs)
    async with redis.asyncio.Redis.from_url(arena.redis.url) as operator:
        try:
            keys = [f"chaos:{what}:{job}" for what in ("state", "log", "token_state")]
            forgotten = await operator.eval(FORGET, len(keys), *keys)
        except RedisError:
            return "Redis not met"
    return "logs expired" if forgotten else "nothing to expire"
