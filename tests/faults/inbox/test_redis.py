"""Commands from a list and a stream of Redis, with the scheduler killed at every step and connections cut."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from scripts.servers.addresses import redis_url
from scripts.servers.proxy import Proxy
from tests.faults.inbox.siege import Siege

pytestmark = [pytest.mark.chaos, pytest.mark.servers("redis"), pytest.mark.timeout(180)]

COUNT = 80


@pytest.fixture
async def redis() -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url()) as client:
        yield client


@pytest.mark.parametrize("kind", ["list", "stream"])
async def test_commands_of_redis(tmp_path: Path, redis: Redis, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key = f"inbox-{uuid4().hex}"
    taken = f"{{{key}}}:goatherd:taken"

    async def is_empty() -> bool:
        left = await (redis.llen(key) if kind == "list" else redis.xlen(key))
        return left == 0 and await redis.hlen(taken) == 0

    async with Proxy(int(redis.connection_pool.connection_kwargs["port"])) as proxy:
        variables = {
            "INBOX_URL": f"redis://127.0.0.1:{proxy.port}/0?{kind}={key}",
            "GOATHERD_BROKER_URL": f"sqlite:///{tmp_path}/jobs.db",
        }
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        siege = Siege(tmp_path, variables, seed=7)
        async with siege.garrison("scheduler", "scheduler", "worker"):
            while len(siege.put) < COUNT:
                for _ in range(siege.chance.randint(3, 12)):
                    command = json.dumps(siege.next_command())
                    await (redis.rpush(key, command) if kind == "list" else redis.xadd(key, {"command": command}))
                if siege.chance.random() < 0.4:
                    proxy.cut()
                await asyncio.sleep(siege.chance.uniform(0.0, 0.1))
            outcome = await siege.at_rest(is_empty, 150)
        outcome.judge(siege)
        assert await is_empty()
        assert siege.deaths["scheduler"] >= 1
    await redis.delete(key, taken)
