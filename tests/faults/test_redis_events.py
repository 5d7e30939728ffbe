"""Redis is killed, frozen, flushed and cut off under writers and watchers: nothing is lost, repeated or hung."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import redis.asyncio

from goatherd.adapters.redis import subscriber
from goatherd.errors import Unavailable
from goatherd.model.event import BEGINNING, Event, Snapshot
from goatherd.model.ids import new_id
from goatherd.ports.events import Events
from goatherd.testing.suites.event_store import NOW, Author, Called, all_entries, whole
from scripts.servers.proxy import Proxy
from scripts.servers.redis import Redis, ensure_redis
from tests.faults.event_people import Follower, Stubborn, client
from tests.faults.watching import until

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("own redis")]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Redis]:
    ensure_redis()
    with Redis(tmp_path / "redis") as server:
        yield server
        server.thaw()


async def test_nothing_is_lost_or_repeated_when_redis_is_killed_and_comes_back(server: Redis) -> None:
    jobs = [new_id() for _ in range(4)]
    async with client(server.url) as writing, client(server.url) as watching:
        writers = [Stubborn(writing, job) for job in jobs]
        followers = [Follower(watching, job) for job in jobs for _ in range(2)]
        following = [asyncio.ensure_future(follower.follow()) for follower in followers]
        on = True

        async def write(writer: Stubborn) -> None:
            while on:
                await writer.say(f"{len(writer.text)} ")
            await writer.end()

        working = [asyncio.ensure_future(write(writer)) for writer in writers]
        for _ in range(3):
            await grows(writers, 600)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
        await grows(writers, 600)
        on = False
        async with asyncio.timeout(30):
            await asyncio.gather(*working)
            await asyncio.gather(*following)
        for number, follower in enumerate(followers):
            assert follower.text == writers[number // 2].text
        for job, writer in zip(jobs, writers, strict=True):
            assert (await whole(watching, job)).text == writer.text


async def grows(writers: Sequence[Stubborn], characters: int) -> None:
    """Wait until each has written so much more."""
    wanted = [len(writer.text) + characters for writer in writers]

    def grown() -> bool:
        return all(len(writer.text) >= length for writer, length in zip(writers, wanted, strict=True))

    await until(grown, "the writers to write")


async def test_a_restart_makes_a_new_epoch_in_which_old_positions_are_known(server: Redis) -> None:
    async with client(server.url) as events:
        author = Author(events, job := new_id())
        await author.start()
        before = (await author.say("one ", "two ")).position
        server.kill()
        server.start()
        after = (await author.say("three")).position
        assert after.epoch != before.epoch
        assert after.seq == before.seq + 1
        [entry] = await all_entries(events, job, before)
        assert entry.position == after
        assert (await whole(events, job)).text == "one two three"


async def test_a_flushed_redis_gives_a_new_epoch_and_no_position_twice(server: Redis) -> None:
    async with client(server.url) as events:
        author, called = Author(events, job := new_id()), Called()
        await events.watch(job, called)
        await author.start()
        before = (await author.say("one ", "two ")).position
        async with redis.asyncio.Redis.from_url(server.url) as operator:
            await operator.flushall()
            await operator.script_flush()
        assert await events.state(job) is None
        assert (await author.send(4, author.token("three"))).expected == 1
        text = Snapshot(attempt=1, at=NOW, stage="", text="one two ")
        after = (await author.send(4, text, author.token("three"))).position
        assert after.epoch != before.epoch
        reading = await events.read(job, before)
        assert reading is not None
        assert (reading.resumed, reading.text) == (False, "one two three")
        async with redis.asyncio.Redis.from_url(server.url) as operator:
            keys = [key async for key in operator.scan_iter()]
            kept = {key.split(b":")[1]: await operator.pttl(key) for key in keys}
            assert kept.keys() == {b"state", b"log", b"token_state", b"events"}
            assert all(0 < left <= (604_800_000 if name == b"events" else 3_600_000) for name, left in kept.items())


async def test_a_text_that_redis_dropped_is_noticed(server: Redis) -> None:
    async with client(server.url) as events:
        author = Author(events, job := new_id())
        await author.start()
        await author.say("one ")
        async with redis.asyncio.Redis.from_url(server.url) as operator:
            await operator.delete(f"goatherd:token_state:{job}")
        assert await events.read(job, BEGINNING) is None
        outcome = await author.say("two")
        assert (outcome.answer, outcome.expected) == ("gap", 1)


async def test_a_frozen_redis_is_given_up_in_time_and_used_again(server: Redis) -> None:
    async with client(server.url, deadline=1.0) as events:
        author = Author(events, job := new_id())
        await author.start()
        server.freeze()
        begun = time.monotonic()
        with pytest.raises(Unavailable, match="does not answer"):
            await author.send(2, author.token("frozen"))
        with pytest.raises(Unavailable, match="does not answer"):
            await events.watch(new_id(), lambda _: None)
        assert time.monotonic() - begun < 8
        server.thaw()
        outcome = await until_accepted(author, author.token("frozen"))
        assert outcome in ("ok", "duplicate")
        assert (await whole(events, job)).text == "frozen"


async def until_accepted(author: Author, event: Event) -> str:
    for _ in range(20):
        try:
            return (await author.send(2, event)).answer
        except Unavailable:
            continue
    pytest.fail("Redis is back, and events are still refused")


async def test_a_cut_line_loses_no_watcher_and_no_event(server: Redis) -> None:
    async with Proxy(server.port) as proxy, client(server.url) as writing, through(proxy) as watching:
        writer, follower = Stubborn(writing, job := new_id()), Follower(watching, job)
        following = asyncio.ensure_future(follower.follow())
        for _ in range(5):
            for count in range(10):
                await writer.say(f"{count} ")
            proxy.cut()
        await writer.end()
        async with asyncio.timeout(30):
            await following
        assert (follower.text, follower.snapshots) == (writer.text, 0)


async def test_half_a_line_is_noticed_by_its_silence(server: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriber, "SIGN_OF_LIFE_EVERY", 0.2)
    async with Proxy(server.port) as proxy, client(server.url) as writing, through(proxy) as watching:
        author, called = Author(writing, job := new_id()), Called()
        await watching.watch(job, called)
        proxy.stall()
        await author.start()
        # The stalled connection stays open and says nothing; only a new one can tell.
        await until(lambda: proxy.connections > 2, "the silent connection to be given up")
        proxy.flow()
        await called.next()


def through(proxy: Proxy) -> AbstractAsyncContextManager[Events]:
    return client(f"redis://127.0.0.1:{proxy.port}/0")
