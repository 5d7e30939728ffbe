"""What the suite of the feed stands on: an empty store, writers of events, and routers that take them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, ClassVar, TypeAlias

import pytest
import pytest_asyncio

from goatherd.model.ids import new_id
from goatherd.ports.events import Events
from goatherd.ports.feed import Fed, Feed
from goatherd.testing.suites.event_store import Author
from goatherd.testing.suites.receiver import PATIENCE
from goatherd.testing.suites.store import alive

#: Opens one more router on the case's store; all are closed when the case ends.
OpenFeed: TypeAlias = Callable[[], Awaitable[Feed]]

#: More than any case has at once.
ALL = 1000


class FeedCases:
    """What the parts of the suite have in common; see `FeedSuite`."""

    # Written here, so that the suite runs in both modes of pytest-asyncio.
    pytestmark: ClassVar[pytest.MarkDecorator] = pytest.mark.asyncio

    @pytest.fixture
    def store(self) -> Any:
        """An empty store in which a router that is silent for `lease` seconds is taken for dead."""
        raise NotImplementedError("Give the suite a fixture `store`: an empty store, such as the path of a new file.")

    #: Seconds, as the store has it.
    lease: ClassVar[float] = 1.0

    async def open(self, store: Any) -> Feed:
        """Open one router's feed; called several times for one store."""
        raise NotImplementedError("Give the suite a method `open(store)` that returns the feed of one more router.")

    async def open_events(self, store: Any) -> Events:
        """Open the events of the same store."""
        raise NotImplementedError("Give the suite a method `open_events(store)`.")

    async def vanish(self, feed: Feed) -> None:
        """Let a router be gone as after `kill -9`."""
        raise NotImplementedError("Give the suite a method `vanish(feed)`.")

    async def wipe(self, store: Any) -> None:
        """Make the store lose all that it keeps, while its clients live on."""
        raise NotImplementedError("Give the suite a method `wipe(store)` that deletes everything.")

    @pytest_asyncio.fixture
    async def open_feed(self, store: Any) -> AsyncIterator[OpenFeed]:
        """Opens routers for a case; afterwards nothing of them may be left."""
        before = alive()
        feeds: list[Feed] = []

        async def open_one() -> Feed:
            feeds.append(await self.open(store))
            return feeds[-1]

        yield open_one
        for feed in feeds:
            await feed.close()
        assert alive() - before == set(), "these tasks and threads outlived their clients"

    @pytest_asyncio.fixture
    async def events(self, store: Any) -> AsyncIterator[Events]:
        """Where jobs are written about."""
        events = await self.open_events(store)
        yield events
        await events.close()

    @pytest_asyncio.fixture
    async def feed(self, open_feed: OpenFeed, events: Events) -> Feed:
        """The router that most cases begin with."""
        return await open_feed()

    @pytest.fixture
    def job(self) -> str:
        """A job that no other case uses."""
        return new_id()


async def taken(feed: Feed, count: int, limit: int = ALL) -> list[Fed]:
    """So many events, as they come."""
    events: list[Fed] = []
    async with asyncio.timeout(PATIENCE):
        while len(events) < count:
            events += await feed.take(limit, 1.0)
    return events


async def nothing_comes(feed: Feed) -> None:
    """Fail if anything is given."""
    assert list(await feed.take(ALL, 0.2)) == []
    assert list(await feed.take(ALL, 0.0)) == []


async def busy_job(events: Events, stages: int, attempt: int = 1) -> str:
    """A job with so many stages, and a token after each."""
    author = Author(events, new_id(), attempt)
    await author.start()
    for number in range(stages):
        await author.write(author.progress(f"s{number}"), author.token("x"))
    return author.job


def seqs(events: Sequence[Fed], job: str) -> list[int]:
    """Where the events of a job stand, in the order in which they came."""
    return [fed.position.seq for fed in events if fed.job == job]
