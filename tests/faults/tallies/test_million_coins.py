"""A million coins for a hundred streamers, while all who count, flush and write down are killed again and again."""

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

import psycopg
import pytest

from scripts.servers.addresses import postgres_url, redis_url
from scripts.servers.redis import Redis
from tests.faults.lanes.crash_run import running
from tests.faults.tallies.crowd import FLUSHER, WORKER, Crowd
from tests.faults.tallies.gifts import Plan
from tests.faults.tallies.test_fatal_moments import MOMENTS

PLAN = Plan(coins=1_000_000, gifts=12_000, streamers=100)
#: Processes that give.
SHARES = 3

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]


async def play(crowd: Crowd, capsys: pytest.CaptureFixture[str], store: str) -> None:
    chance = random.Random(crowd.plan.seed)

    async def die_at_every_moment() -> None:
        for moment in cycle(MOMENTS):
            await crowd.dies(moment, patience=None)

    async with crowd.app:
        async with running(
            die_at_every_moment(),
            crowd.always(FLUSHER, chance, (0.5, 3.0)),
            crowd.always(WORKER, chance, (2.0, 8.0)),
            crowd.always(WORKER, chance, (2.0, 8.0)),
        ):
            await asyncio.gather(*(crowd.viewers(share, SHARES, chance) for share in range(SHARES)))
        async with crowd.process(*WORKER):
            await crowd.rest()
    totals = crowd.check()
    with capsys.disabled():
        told = f"{crowd.plan.coins:,} coins in {crowd.plan.gifts:,} gifts arrived in {totals:,} totals"
        print(f"\ntallies on {store}: {told}; {crowd.kills} processes killed")  # noqa: T201 - for a person
    assert crowd.kills > 12
    assert totals > 5 * crowd.plan.streamers


async def test_on_sqlite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await play(Crowd(tmp_path, PLAN), capsys, "SQLite")


@pytest.mark.servers("redis")
async def test_on_redis(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await play(Crowd(tmp_path, PLAN, redis_url()), capsys, "Redis")


@pytest.fixture
def database() -> Iterator[str]:
    name = f"coins_{uuid4().hex}"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        yield urlunsplit(urlsplit(postgres_url())._replace(path=f"/{name}"))
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.mark.servers("postgres")
async def test_on_postgres(tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]) -> None:
    await play(Crowd(tmp_path, PLAN, database), capsys, "PostgreSQL")


@asynccontextmanager
async def murderer(server: Redis, chance: random.Random) -> AsyncIterator[list[float]]:
    """Kills the server, and starts it again on what it has written."""
    kills: list[float] = []

    async def murder() -> None:
        while True:
            await asyncio.sleep(chance.uniform(2.0, 5.0))
            await asyncio.to_thread(server.kill)
            kills.append(chance.uniform(0.1, 1.0))
            await asyncio.sleep(kills[-1])
            await asyncio.to_thread(server.start)

    try:
        async with running(murder()):
            yield kills
    finally:
        if not server.running:
            await asyncio.to_thread(server.start)


@pytest.mark.servers("redis")
async def test_on_a_redis_that_is_killed_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It writes down everything before it answers, so it forgets nothing that anybody has heard of."""
    with Redis(tmp_path / "redis", "--appendfsync", "always") as server:
        crowd = Crowd(tmp_path / "run", PLAN, server.url)
        chance = random.Random(7)
        async with crowd.app:
            async with (
                murderer(server, chance) as kills,
                running(
                    crowd.always(FLUSHER, chance, (1.0, 6.0)),
                    crowd.always(FLUSHER, chance, (1.0, 6.0)),
                    crowd.always(WORKER, chance, (3.0, 9.0)),
                ),
            ):
                await asyncio.gather(*(crowd.viewers(share, SHARES, chance) for share in range(SHARES)))
            async with crowd.process(*WORKER):
                await crowd.rest()
        totals = crowd.check()
    with capsys.disabled():
        told = f"{crowd.plan.coins:,} coins arrived in {totals:,} totals; {len(kills)} times the server was killed"
        print(f"\ntallies on a Redis that is killed: {told}, and {crowd.kills} processes")  # noqa: T201 - for a person
    assert len(kills) > 3
    assert totals > 5 * crowd.plan.streamers
