"""Cases: several routers share the feed, and what one of them leaves undone is done by another."""

import asyncio
from typing import Any

from goatherd.ports.events import Events
from goatherd.ports.feed import Fed, Feed
from goatherd.testing.suites.event_store import by_platform, done
from goatherd.testing.suites.feed_store import ALL, FeedCases, OpenFeed, busy_job, nothing_comes, seqs, taken
from goatherd.testing.suites.receiver import PATIENCE


class TakeoverCases(FeedCases):
    """Part of `FeedSuite`."""

    async def test_routers_share_the_work_and_keep_the_order(self, events: Events, open_feed: OpenFeed) -> None:
        feeds = [await open_feed() for _ in range(3)]
        found: list[Fed] = []
        wanted = 20 * 11

        async def route(feed: Feed) -> None:
            while len(found) < wanted:
                some = await feed.take(7, 0.2)
                found.extend(some)
                await feed.settle(some)

        routing = [asyncio.ensure_future(route(feed)) for feed in feeds]
        jobs = await asyncio.gather(*(busy_job(events, 10) for _ in range(20)))
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*routing)
        assert len(found) == wanted
        for job in jobs:
            assert seqs(found, job) == [1, *range(2, 22, 2)]

    async def test_what_a_closed_router_left_is_given_to_another_at_once(
        self, events: Events, feed: Feed, open_feed: OpenFeed
    ) -> None:
        job = await busy_job(events, 3)
        found = await taken(feed, 4)
        await feed.settle(found[:1])
        await feed.close()
        other = await open_feed()
        await by_platform(events, job, done(attempt=0))
        assert seqs(await taken(other, 4), job) == [2, 4, 6, 8]

    async def test_what_a_dead_router_left_is_given_to_another(
        self, events: Events, feed: Feed, open_feed: OpenFeed
    ) -> None:
        jobs = [await busy_job(events, 3) for _ in range(8)]
        await feed.settle((await taken(feed, 32))[:5])
        other = await open_feed()
        await self.vanish(feed)
        for job in jobs:
            await by_platform(events, job, done(attempt=0))
        found = await taken(other, 35)
        assert len(found) == 35
        for job in jobs:
            assert seqs(found, job) == [1, 2, 4, 6, 8][-len(seqs(found, job)) :]
        await other.settle(found)
        await nothing_comes(other)

    async def test_nothing_is_taken_from_a_router_that_lives(
        self, events: Events, feed: Feed, open_feed: OpenFeed
    ) -> None:
        await busy_job(events, 3)
        held = await taken(feed, 4)
        other = await open_feed()
        for _ in range(6):
            await asyncio.sleep(self.lease / 4)
            # It is told apart from the dead by asking.
            await feed.take(ALL, 0.0)
            await nothing_comes(other)
        await feed.settle(held)

    async def test_what_was_taken_long_ago_can_be_taken_again(self, events: Events, feed: Feed) -> None:
        job = await busy_job(events, 9)
        await feed.settle((await taken(feed, 10))[:3])
        assert list((await feed.reclaim(60.0, ALL)).events) == []
        again = await feed.reclaim(0.0, ALL)
        assert seqs(again.events, job) == [6, 8, 10, 12, 14, 16, 18]
        assert again.vanished == 0
        assert len((await feed.reclaim(0.0, 2)).events) == 2
        await asyncio.sleep(0.1)
        assert len((await feed.reclaim(0.05, ALL)).events) == 7
        assert list((await feed.reclaim(0.05, ALL)).events) == []
        await feed.settle(again.events)
        assert list((await feed.reclaim(0.0, ALL)).events) == []

    async def test_a_new_router_gets_its_share(self, store: Any, events: Events, feed: Feed) -> None:
        await nothing_comes(feed)
        other = await self.open(store)
        try:
            for _ in range(12):
                await busy_job(events, 1)
            found: list[Fed] = []
            async with asyncio.timeout(PATIENCE):
                while len(found) < 24:
                    for one in (feed, other):
                        some = await one.take(ALL, 0.1)
                        await one.settle(some)
                        found += some
            assert len(found) == 24
        finally:
            await other.close()
