"""The suite of the feed on Redis, and what its streams promise to others."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from goatherd.adapters.redis import feed as adapter
from goatherd.adapters.redis import opening
from goatherd.adapters.redis.events import RedisEvents
from goatherd.adapters.redis.events import Terms as EventTerms
from goatherd.model.ids import new_id
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.feed import Feed, Limits
from goatherd.testing.suites import FeedSuite
from goatherd.testing.suites.event_store import Author, by_platform, done, failed, queued
from goatherd.testing.suites.feed_store import OpenFeed, busy_job, nothing_comes, seqs, taken
from goatherd.wiring import open_events, open_feed
from tests.conformance.redis_store import RedisStore, lasting_keys, operator

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("redis")]


class RedisFeedStore(RedisStore):
    lease = 1.0
    shards = 4

    @pytest.fixture(autouse=True)
    def _impatience(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(adapter, "LEASE", self.lease)
        monkeypatch.setattr(adapter, "LOOK_EVERY", 0.1)

    async def open(self, store: str) -> Feed:
        return await open_feed(self.settings(store, event_shards=self.shards), SystemClock())

    async def open_events(self, store: str) -> Events:
        return await open_events(self.settings(store, event_shards=self.shards), SystemClock())

    async def vanish(self, feed: Feed) -> None:
        assert isinstance(feed, adapter.RedisFeed)
        await feed.vanish()


class TestRedisFeed(RedisFeedStore, FeedSuite):
    async def test_other_programs_can_read_a_shard(self, store: str, events: Events, job: str) -> None:
        position = (await by_platform(events, job, queued())).position
        async with operator() as client:
            [key] = [key async for key in client.scan_iter(f"{store}:events:*")]
            [(_, fields)] = await client.xrange(key)
            assert {**fields, "d": json.loads(fields["d"])["kind"]} == {
                "job": job, "id": str(position), "k": "queued", "d": "queued",
            }  # fmt: skip

    async def test_failed_jobs_are_noted_once_for_other_programs(self, store: str, events: Events, feed: Feed) -> None:
        job = new_id()
        await by_platform(events, job, failed())
        await by_platform(events, new_id(), done())
        found = await taken(feed, 2)
        dead = [fed for fed in found if fed.job == job]
        await asyncio.gather(feed.settle(found, dead), feed.settle(found, dead))
        async with operator() as client:
            [(_, fields)] = await client.xrange(f"{store}:dlq")
            assert (fields["job"], json.loads(fields["d"])["error"]) == (job, "ValueError")
            assert 600_000_000 < await client.pttl(f"{store}:dlq") <= 604_800_000

    async def test_no_key_is_kept_for_ever_while_routers_are_at_work(
        self, store: str, events: Events, feed: Feed, open_feed: OpenFeed
    ) -> None:
        job = await busy_job(events, 3)
        await by_platform(events, job, failed())
        await events.keep(job, 7200)
        found = await taken(feed, 5)
        await feed.settle(found, [fed for fed in found if fed.kind == "failed"])
        other = await open_feed()
        await other.take(1, 0.0)
        async with operator() as client:
            names = {key.removeprefix(f"{store}:") async for key in client.scan_iter(f"{store}:*")}
            assert names == {
                *(f"events:{shard}" for shard in range(self.shards)), "routers", "router:shards", "dlq",
                f"state:{job}", f"log:{job}", f"token_state:{job}",
            }  # fmt: skip
            assert await lasting_keys(client, f"{store}:*") == []

    async def test_what_strangers_write_is_passed_over(self, store: str, events: Events, feed: Feed) -> None:
        job = await busy_job(events, 0)
        await nothing_or(feed)
        async with operator() as client:
            await client.xadd(f"{store}:events:0", {"hello": "world"})
            await client.xadd(f"{store}:events:0", {"job": "x", "id": "nonsense", "k": "done", "d": ""})
            await by_platform(events, job, done(attempt=0))
            assert seqs(await taken(feed, 1), job) == [2]
            await nothing_comes(feed)
            pending = await client.xpending(f"{store}:events:0", "eventrouter")
            assert pending["pending"] <= 2


async def nothing_or(feed: Feed) -> None:
    await feed.settle(await taken(feed, 1))


class TestRedisFeedWithOneShard(RedisFeedStore, FeedSuite):
    """With one shard, every event has the same way."""

    shards = 1


class TestTrimming(RedisFeedStore):
    """A shard gives up what all groups are done with, and nothing else."""

    shards = 1

    @pytest.fixture
    async def events(self, store: str) -> AsyncIterator[RedisEvents]:
        settings = self.settings(store, event_shards=1)
        terms = EventTerms(ttl=3600, deadline=10, feed=Limits(unrouted=200, routed=500))
        events = RedisEvents(opening._address(settings), opening._names(settings), terms)
        await events.open()
        yield events
        await events.close()

    async def routing(self, store: str) -> Feed:
        """A router that is known to the writers."""
        feed = await self.open(store)
        await feed.take(1, 0.0)
        return feed

    async def test_what_is_settled_is_trimmed_and_nothing_else(self, store: str, events: Events) -> None:
        feed = await self.routing(store)
        await busy_job(events, 399)
        found = await taken(feed, 300, limit=300)
        await feed.settle([fed for fed in found if fed.position.seq != found[149].position.seq])
        async with operator() as client:
            left = await client.xrange(f"{store}:events:0")
            kept = [fields["id"] for _, fields in left]
            # All from the one that was not settled on, and some before it.
            assert str(found[149].position) in kept
            assert 251 <= len(left) <= 350
            await feed.settle(found)
            assert 100 <= await client.xlen(f"{store}:events:0") <= 200
        assert len(await taken(feed, 100)) == 100
        await feed.close()

    async def test_other_groups_are_waited_for(self, store: str, events: Events) -> None:
        feed = await self.routing(store)
        await busy_job(events, 299)
        async with operator() as client:
            await client.xgroup_create(f"{store}:events:0", "strangers", "0")
            await client.xreadgroup("strangers", "one", {f"{store}:events:0": ">"}, count=10)
            await feed.settle(await taken(feed, 300))
            assert await client.xlen(f"{store}:events:0") == 300
            read = await client.xreadgroup("strangers", "one", {f"{store}:events:0": ">"}, count=1000)
            assert len(read[0][1]) == 290
        await feed.close()

    async def test_an_app_without_a_router_stays_small_and_the_loss_is_counted(
        self, store: str, events: Events
    ) -> None:
        for _ in range(10):
            await busy_job(events, 99)
        async with operator() as client:
            length = await client.xlen(f"{store}:events:0")
            assert 200 <= length < 400
            feed = await self.open(store)
            assert (await feed.lag()).dropped == 1000 - length
            assert len(await taken(feed, length)) == length
        await feed.close()

    async def test_more_is_kept_once_there_is_a_router(self, store: str, events: Events) -> None:
        feed = await self.routing(store)
        for _ in range(5):
            await busy_job(events, 99)
        assert (await feed.lag()).waiting == 500
        for _ in range(4):
            await busy_job(events, 99)
        lag = await feed.lag()
        assert 200 <= lag.dropped <= 400
        assert len(await taken(feed, 900 - lag.dropped)) == 900 - lag.dropped
        await feed.close()

    async def test_what_was_dropped_after_it_was_taken_is_counted(self, store: str, events: Events) -> None:
        feed = await self.routing(store)
        await busy_job(events, 299)
        assert len(await taken(feed, 300)) == 300
        async with operator() as client:
            await client.xtrim(f"{store}:events:0", 100, approximate=False)
        again = await feed.reclaim(0.0, 1000)
        assert (len(again.events), again.vanished) == (100, 200)
        again = await feed.reclaim(0.0, 1000)
        assert (len(again.events), again.vanished) == (100, 0)
        await feed.close()

    async def test_the_cursor_is_followed_to_the_end(self, store: str, events: Events) -> None:
        """A server looks at ten times as many as it was asked for, and says where it stopped."""
        first = await self.routing(store)
        job = await busy_job(events, 449)
        await taken(first, 450)
        await first.settle([])
        await first.close()
        second = await self.open(store)
        found = [fed for _ in range(60) for fed in await second.take(10, 0.0)]
        assert seqs(found, job) == [1, *range(2, 900, 2)]
        assert len((await second.reclaim(0.0, 400)).events) == 400
        await second.close()


class TestLateness(RedisFeedStore):
    async def test_a_router_that_was_away_too_long_gets_its_own_again(self, store: str) -> None:
        events, feed = await self.open_events(store), await self.open(store)
        author = Author(events, job := new_id())
        await author.start()
        await taken(feed, 1)
        await asyncio.sleep(self.lease * 1.2)
        await author.write(author.progress("a"))
        assert seqs(await taken(feed, 2), job) == [1, 2]
        await events.close()
        await feed.close()

    async def test_members_that_are_long_gone_are_forgotten(self, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(adapter, "GONE_AFTER", 0.2)
        events = await self.open_events(store)
        idle, owing, asking = await self.open(store), await self.open(store), await self.open(store)
        await idle.take(1, 0.1)
        await idle.close()
        await busy_job(events, 0)
        await taken(owing, 1)
        await owing.close()
        await asyncio.sleep(0.3)
        await asking.lag()
        async with operator() as client:
            members = [
                member["pending"]
                for shard in range(4)
                for member in await client.xinfo_consumers(f"{store}:events:{shard}", "eventrouter")
            ]
        assert members == [1]
        await events.close()
        await asking.close()
