"""The suites of the feed and of the history on SQLite."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import apsw
import pytest

from goatherd.adapters.sqlite import feed as adapter
from goatherd.adapters.sqlite import feeding, opening
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.feed import Feed, Limits
from goatherd.ports.records import JobHistory
from goatherd.testing.suites import FeedSuite, HistorySuite
from goatherd.testing.suites.event_store import by_platform, queued
from goatherd.testing.suites.feed_store import taken
from goatherd.wiring import open_events, open_feed, open_history


def settings(store: Path) -> Settings:
    return Settings(broker_url=f"sqlite:///{store}", default_queue="suite")


class SqliteFeedStore:
    lease = 1.0

    @pytest.fixture
    def store(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        monkeypatch.setattr(adapter, "LEASE", self.lease)
        monkeypatch.setattr(adapter, "LOOK_EVERY", 0.1)
        # A short path, so that the sockets hang beside the file.
        with TemporaryDirectory() as folder:
            yield Path(folder) / "jobs.db"

    async def open(self, store: Path) -> Feed:
        return await open_feed(settings(store), SystemClock())

    async def open_events(self, store: Path) -> Events:
        return await open_events(settings(store), SystemClock())

    async def vanish(self, feed: Feed) -> None:
        assert isinstance(feed, adapter.SqliteFeed)
        await feed.vanish()

    async def wipe(self, store: Path) -> None:
        connection = apsw.Connection(str(store))
        connection.set_busy_timeout(5000)
        connection.execute("DELETE FROM tracked; DELETE FROM event; DELETE FROM piece; DELETE FROM feed")
        connection.close()


class TestSqliteFeed(SqliteFeedStore, FeedSuite):
    async def test_what_nobody_takes_is_dropped_and_counted(
        self, store: Path, events: Events, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feeding, "LIMITS", Limits(unrouted=20, routed=50))
        monkeypatch.setattr(feeding, "LOOK_EVERY", 1)
        for _ in range(35):
            await by_platform(events, new_id(), queued())
        feed = await self.open(store)
        assert (await feed.lag()).waiting == 20
        assert len(await taken(feed, 20)) == 20
        assert (await feed.lag()).dropped == 15
        # Now that there is a router, more is kept for it.
        for _ in range(30):
            await by_platform(events, new_id(), queued())
        assert (await feed.lag()).dropped == 15
        for _ in range(10):
            await by_platform(events, new_id(), queued())
        lag = await feed.lag()
        assert (lag.waiting + lag.unsettled, lag.dropped) == (50, 25)
        await feed.close()


class TestSqliteFeedOfSeveralProcesses(SqliteFeedStore, FeedSuite):
    """Clients of one process share a connection; here each has its own, as in processes of their own."""

    async def open(self, store: Path) -> Feed:
        with patch.object(opening, "FILES", opening.Files()):
            return await super().open(store)


class TestSqliteHistory(HistorySuite):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Path:
        return tmp_path / "jobs.db"

    async def open(self, store: Path) -> JobHistory:
        with patch.object(opening, "FILES", opening.Files()):
            return await open_history(settings(store), SystemClock())
