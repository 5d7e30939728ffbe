"""Commands from lists and streams of a real Redis."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from goatherd.errors import SettingsError, Unavailable
from goatherd.model.command import Command
from goatherd.model.settings import Settings
from goatherd.ports.inbox import CommandSource
from goatherd.wiring import open_command_source
from scripts.servers.addresses import redis_url

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("redis")]

PATIENCE = 20.0
#: Seconds after which an entry of a stream is given again.
IDLE = 1.0


class Ear:
    """Hears commands, one at a time."""

    def __init__(self, source: CommandSource) -> None:
        self.source = source
        self.heard: AsyncGenerator[Sequence[Command], None] = source.commands()
        self._left: list[Command] = []

    async def next(self) -> Command:
        async with asyncio.timeout(PATIENCE):
            while not self._left:
                self._left += await anext(self.heard)
        return self._left.pop(0)

    async def silent(self) -> bool:
        """Whether nothing is there that was not heard."""
        return not self._left and not await anext(self.heard)


@asynccontextmanager
async def ear_at(kind: str, key: str) -> AsyncIterator[Ear]:
    settings = Settings(broker_url="sqlite:///unused.db", default_queue="suite", lease=IDLE)
    source = await open_command_source(f"{redis_url()}?{kind}={key}", settings)
    ear = Ear(source)
    async with aclosing(ear.heard):
        yield ear
    await source.close()


@pytest.fixture
async def redis() -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url()) as client:
        yield client


@pytest.fixture
async def key(redis: Redis) -> AsyncIterator[str]:
    name = f"inbox-{uuid4().hex}"
    yield name
    await redis.delete(name, f"{{{name}}}:goatherd:taken")


async def add(redis: Redis, key: str, fields: Mapping[Any, Any]) -> str:
    """Another program's entry; its id."""
    id = await redis.xadd(key, dict(fields))
    return id.decode() if isinstance(id, bytes) else id


async def test_a_list_from_its_left_where_equal_items_are_two_commands(redis: Redis, key: str) -> None:
    await redis.rpush(key, b'{"n": 1}', b'{"n": 1}', b"\xff")
    async with ear_at("list", key) as ear:
        first, second, third = [await ear.next() for _ in range(3)]
        assert (first.body, second.body, third.body) == (b'{"n": 1}', b'{"n": 1}', b"\xff")
        assert len({first.key, second.key, third.key}) == 3
        await redis.rpush(key, b"later")
        assert (await ear.next()).body == b"later"


async def test_what_is_taken_from_a_list_stays_until_it_is_removed(redis: Redis, key: str) -> None:
    await redis.rpush(key, b"1", b"2")
    async with ear_at("list", key) as ear:
        taken = {command.key: command.body for command in [await ear.next(), await ear.next()]}
    async with ear_at("list", key) as ear:
        again = {command.key: command.body for command in [await ear.next(), await ear.next()]}
        assert again == taken
        await ear.source.remove([*again, "never"])
        await ear.source.remove([])
    async with ear_at("list", key) as ear:
        assert await ear.silent()
    assert await redis.keys(f"*{key}*") == []


async def test_a_stream_with_members_or_with_a_command(redis: Redis, key: str) -> None:
    first = await add(redis, key, {"type": "go", "user": "ü"})
    async with ear_at("stream", key) as ear:
        second = await add(redis, key, {"command": b'{"type": "go", "n": 7}'})
        third = await add(redis, key, {"command": b"x", "type": b"\xff"})
        assert [await ear.next() for _ in range(3)] == [
            Command(key=first, body='{"type":"go","user":"ü"}'.encode()),
            Command(key=second, body=b'{"type": "go", "n": 7}'),
            Command(key=third, body=b'{"command":"x","type":"\\\\xff"}'),
        ]


async def test_what_is_taken_from_a_stream_is_given_again_until_it_is_removed(redis: Redis, key: str) -> None:
    await add(redis, key, {"command": b"1"})
    async with ear_at("stream", key) as ear:
        taken = await ear.next()
        assert await ear.silent()
    async with ear_at("stream", key) as ear:
        assert await ear.next() == taken
        await ear.source.remove([taken.key, "1-1"])
        await ear.source.remove([])
    assert await redis.xlen(key) == 0
    assert (await redis.xpending(key, "goatherd"))["pending"] == 0


async def test_two_readers_of_a_stream_do_not_get_the_same(redis: Redis, key: str) -> None:
    heard: list[str] = []
    all_heard = asyncio.Event()

    async def hear(ear: Ear) -> None:
        while True:
            heard.append((await ear.next()).key)
            await ear.source.remove(heard[-1:])
            if len(heard) >= 50:
                all_heard.set()

    async with ear_at("stream", key) as one, ear_at("stream", key) as two:
        hearing = [asyncio.create_task(hear(one)), asyncio.create_task(hear(two))]
        ids = [await add(redis, key, {"command": str(number)}) for number in range(50)]
        async with asyncio.timeout(PATIENCE):
            await all_heard.wait()
        for task in hearing:
            task.cancel()
        await asyncio.gather(*hearing, return_exceptions=True)
    assert sorted(heard) == sorted(ids)


@pytest.mark.parametrize("kind", ["list", "stream"])
async def test_a_key_of_another_kind_is_told(redis: Redis, key: str, kind: str) -> None:
    await redis.set(key, "text")
    async with ear_at(kind, key) as ear:
        with pytest.raises(Unavailable, match="WRONGTYPE"):
            await ear.next()


async def test_a_stream_that_is_deleted_is_lost_and_then_made_anew(redis: Redis, key: str) -> None:
    async with ear_at("stream", key) as ear:
        await anext(ear.heard)
        await redis.delete(key)
        with pytest.raises(Unavailable):
            await ear.next()
    async with ear_at("stream", key) as ear:
        added = await add(redis, key, {"command": b"1"})
        assert (await ear.next()).key == added


async def test_who_is_not_let_in_is_told() -> None:
    url = redis_url().replace("redis://", "redis://:s3cret@")
    settings = Settings(broker_url="sqlite:///unused.db", default_queue="suite")
    source = await open_command_source(f"{url}?list=a", settings)
    with pytest.raises((SettingsError, Unavailable)) as raised:
        await anext(source.commands())
    assert "s3cret" not in str(raised.value)
    await source.close()
