"""The suite of the feed: every adapter passes it, with several routers on one store."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from goatherd.errors import Unavailable
from goatherd.model.event import Progress
from goatherd.model.ids import new_id
from goatherd.ports.events import Events
from goatherd.ports.feed import LARGEST_BODY, Fed, Feed
from goatherd.testing.suites.event_store import Author, all_entries, by_platform, done, failed, queued, retrying
from goatherd.testing.suites.feed_store import ALL, FeedCases, OpenFeed, busy_job, nothing_comes, seqs, taken
from goatherd.testing.suites.feed_takeovers import TakeoverCases

__all__ = ["FeedSuite"]


class FeedSuite(TakeoverCases, FeedCases):
    """Subclass it as Test…, give it `store`, `open`, `open_events`, `vanish` and `wipe`."""

    async def test_every_event_but_tokens_comes_in_order(self, events: Events, feed: Feed, job: str) -> None:
        await by_platform(events, job, queued())
        author = Author(events, job)
        await author.start()
        await author.say("one ", "two")
        await author.write(author.token("!"), author.progress("stage", 50.0, url="🐐"), author.token("?"))
        await by_platform(events, job, retrying())
        await Author(events, job, attempt=2).start()
        await by_platform(events, job, done(attempt=0))
        found = await taken(feed, 6)
        assert [fed.kind for fed in found] == ["queued", "started", "progress", "retrying", "started", "done"]
        entries = {entry.position: entry for entry in await all_entries(events, job)}
        for fed in found:
            assert fed.job == job
            assert (entries[fed.position].kind, entries[fed.position].body) == (fed.kind, fed.body)

    async def test_what_was_written_before_the_first_router_came_is_there(
        self, events: Events, open_feed: OpenFeed
    ) -> None:
        job = await busy_job(events, 10)
        assert seqs(await taken(await open_feed(), 11), job) == [1, *range(2, 22, 2)]

    async def test_a_refused_append_feeds_nothing(self, events: Events, feed: Feed, job: str) -> None:
        author = Author(events, job)
        await author.start()
        assert (await author.send(1, author.started())).answer == "duplicate"
        assert (await author.send(5, author.progress("late"))).answer == "gap"
        await author.send(2, author.progress("one"))
        # The first of these was written before.
        await author.send(2, author.progress("one"), author.progress("two"))
        assert seqs(await taken(feed, 3), job) == [1, 2, 3]
        await nothing_comes(feed)

    async def test_what_is_settled_is_not_given_again(self, events: Events, feed: Feed, open_feed: OpenFeed) -> None:
        job = await busy_job(events, 4)
        first = await taken(feed, 5)
        await feed.settle(first)
        await feed.settle(first)
        await feed.settle([])
        await nothing_comes(feed)
        assert list((await feed.reclaim(0.0, ALL)).events) == []
        await feed.close()
        other = await open_feed()
        await nothing_comes(other)
        await by_platform(events, job, done(attempt=0))
        assert [fed.kind for fed in await taken(other, 1)] == ["done"]

    async def test_a_router_is_called_when_something_happens(self, events: Events, feed: Feed) -> None:
        await nothing_comes(feed)
        loop = asyncio.get_running_loop()
        began = loop.time()
        taking = asyncio.ensure_future(feed.take(ALL, 10.0))
        await asyncio.sleep(0.05)
        job = await busy_job(events, 0)
        assert seqs(await taking, job) == [1]
        assert loop.time() - began < 2

    async def test_it_gives_no_more_than_is_asked_for(self, events: Events, feed: Feed) -> None:
        job = await busy_job(events, 30)
        pages: list[list[Fed]] = []
        while sum(len(page) for page in pages) < 31:
            pages.append(await taken(feed, 1, limit=10))
            await feed.settle(pages[-1])
        assert max(map(len, pages)) <= 10
        assert seqs([fed for page in pages for fed in page], job) == [1, *range(2, 62, 2)]

    async def test_a_large_event_is_left_to_the_log(self, events: Events, feed: Feed, job: str) -> None:
        author = Author(events, job)
        await author.start()
        await author.write(author.progress("small", note="x" * (LARGEST_BODY // 2)))
        await author.write(author.progress("large", note="x" * LARGEST_BODY))
        _, small, large = await taken(feed, 3)
        assert len(small.body) > LARGEST_BODY // 2
        assert (large.kind, large.body) == ("progress", b"")
        [entry] = await all_entries(events, job, small.position)
        event = entry.event()
        assert isinstance(event, Progress)
        assert (entry.position, event.stage) == (large.position, "large")

    async def test_ends_of_jobs_that_failed_can_be_settled_as_such(self, events: Events, feed: Feed) -> None:
        await by_platform(events, new_id(), failed())
        found = await taken(feed, 1)
        await feed.settle(found, dead=found)
        await feed.settle(found, dead=found)
        await nothing_comes(feed)

    async def test_how_far_behind_it_is_can_be_asked(self, events: Events, feed: Feed) -> None:
        assert (await feed.lag()).waiting == 0
        await busy_job(events, 6)
        lag = await feed.lag()
        assert (lag.waiting, lag.unsettled, lag.dropped) == (7, 0, 0)
        assert 0 <= lag.seconds < 10
        found = await taken(feed, 7)
        assert (await feed.lag()).unsettled == 7
        await feed.settle(found[:5])
        lag = await feed.lag()
        assert (lag.waiting, lag.unsettled, lag.seconds) == (0, 2, 0.0)

    async def test_a_store_that_lost_everything_is_used_again(self, store: Any, events: Events, feed: Feed) -> None:
        await busy_job(events, 2)
        lost = await taken(feed, 3)
        await self.wipe(store)
        await feed.settle(lost)
        job = await busy_job(events, 2)
        found: list[Fed] = []
        # The first to ask may be told that it was lost.
        with suppress(Unavailable):
            found += await feed.take(ALL, 0.0)
        found += await taken(feed, 3 - len(found))
        assert seqs(found, job) == [1, 2, 4]

    async def test_closing_twice_is_harmless(self, open_feed: OpenFeed) -> None:
        feed = await open_feed()
        await feed.take(1, 0.0)
        await feed.close()
        await feed.close()

    async def test_a_router_that_was_closed_is_told_so(self, open_feed: OpenFeed) -> None:
        feed = await open_feed()
        await feed.close()
        with pytest.raises(Unavailable, match="open the app"):
            await feed.take(1, 0.0)
