"""Two servers: one keeps the events, the other calls the watchers, and a router stands between them."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from goatherd.adapters.redis import feed as adapter
from goatherd.errors import SettingsError
from goatherd.model.event import Position
from goatherd.model.ids import new_id
from goatherd.model.settings import Settings
from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.ports.feed import Fed
from goatherd.ports.relay import Relay
from goatherd.testing.suites import EventsSuite
from goatherd.testing.suites.event_store import Author, Called, by_platform, done, kinds, numbers, queued
from goatherd.testing.suites.feed_store import taken
from goatherd.testing.suites.receiver import eventually
from goatherd.wiring import open_events, open_feed, open_relay, open_router
from scripts.servers.redis import Redis
from tests.conformance.redis_store import RedisStore, lasting_keys, operator

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("redis")]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    with Redis(tmp_path_factory.mktemp("live")) as server:
        yield server


def fed(job: str, seq: int, epoch: str = "aa", body: bytes = b'{"kind":"progress"}') -> Fed:
    return Fed(job=job, position=Position(epoch, seq), kind="progress", body=body, at=0.0, shard=0, place="1-1")


class TwoServers(RedisStore):
    @pytest.fixture
    def two(self, store: str, live: Redis, tmp_path: Path) -> Settings:
        """Settings of an app on both."""
        return self.settings(store, live_url=live.url, records_url=f"sqlite:///{tmp_path / 'records.db'}")

    @pytest.fixture
    async def events(self, two: Settings) -> AsyncIterator[Events]:
        events = await open_events(two, SystemClock())
        yield events
        await events.close()


class TestRelay(TwoServers):
    @pytest.fixture
    async def relay(self, two: Settings) -> AsyncIterator[Relay]:
        relay = await open_relay(two)
        assert relay is not None
        yield relay
        await relay.close()

    @pytest.fixture
    async def called(self, events: Events) -> AsyncIterator[tuple[str, Called]]:
        called = Called()
        watch = await events.watch(job := new_id(), called)
        yield job, called
        await watch.stop()

    async def test_watchers_are_called_with_each_event_once(self, relay: Relay, called: tuple[str, Called]) -> None:
        job, ear = called
        assert await relay.publish([fed(job, 1), fed(new_id(), 1), fed(job, 2)]) == 3
        assert await relay.publish([fed(job, 2), fed(job, 3)]) == 1
        assert await relay.publish([fed(job, 1), fed(job, 2), fed(job, 3)]) == 0
        assert await relay.publish([fed(job, 2, epoch="bb"), fed(job, 3, epoch="bb")]) == 2
        for _ in range(3):
            await ear.next()
        assert numbers(ear.entries) == [1, 2, 3, 2, 3]
        assert [entry.position.epoch for entry in ear.entries] == ["aa"] * 3 + ["bb"] * 2

    async def test_of_a_large_event_watchers_only_hear_that_there_is_one(
        self, relay: Relay, called: tuple[str, Called]
    ) -> None:
        job, ear = called
        assert await relay.publish([fed(job, 1), fed(job, 2, body=b"")]) == 2
        assert await ear.next() == []

    async def test_how_far_it_is_is_remembered_for_two_hours(self, relay: Relay, live: Redis) -> None:
        job = new_id()
        await relay.publish([fed(job, 7)])
        async with operator(live.url) as client:
            assert await client.get(f"router:published:{job}") == "aa-7"
            assert 7_000_000 < await client.pttl(f"router:published:{job}") <= 7_200_000

    async def test_it_goes_on_when_the_mark_is_lost(
        self, relay: Relay, called: tuple[str, Called], live: Redis
    ) -> None:
        job, ear = called
        await relay.publish([fed(job, 1)])
        async with operator(live.url) as client:
            await client.set(f"router:published:{job}", "nonsense", px=1000)
        assert await relay.publish([fed(job, 1), fed(job, 2)]) == 2
        await ear.next()
        assert numbers(await ear.next()) == [1, 2]


class TestTwoServers(TwoServers):
    async def test_tokens_go_to_routers_too_and_nobody_is_called_without_them(
        self, two: Settings, events: Events
    ) -> None:
        feed = await open_feed(two, SystemClock())
        called = Called()
        author = Author(events, new_id())
        await events.watch(author.job, called)
        async with operator() as client, client.pubsub() as strangers:
            await strangers.psubscribe(f"*{author.job}*")
            await author.start()
            await author.say("one ", "two")
            assert [one.kind for one in await taken(feed, 3)] == ["started", "token", "token"]
            heard = [await strangers.get_message(timeout=0.1) for _ in range(3)]
            assert [one["type"] for one in heard if one] == ["psubscribe"]
        await called.is_left_alone()
        await feed.close()

    async def test_watchers_hear_everything_in_order(self, two: Settings, events: Events, live: Redis) -> None:
        called, author = Called(), Author(events, new_id())
        async with router_of(two) as router:
            await events.watch(author.job, called)
            await by_platform(events, author.job, queued())
            await author.start()
            for number in range(200):
                await author.say(f"{number} ")
            await author.write(done())

            async def counted() -> bool | None:
                return router.readings().relayed == 203 or None

            await eventually(counted, "all to be relayed")
        async with asyncio.timeout(10):
            while not called.entries or called.entries[-1].kind != "done":
                await called.next()
        assert numbers(called.entries) == list(range(1, 204))
        assert kinds(called.entries)[:3] == ["queued", "started", "token"]
        async with operator(live.url) as client:
            assert await lasting_keys(client) == []

    async def test_the_same_server_by_another_name_is_one(self, two: Settings, store: str) -> None:
        same = self.settings(store, live_url=self.url().replace("/0", "/3"))
        assert await open_relay(same) is None
        events, called = await open_events(same, SystemClock()), Called()
        await events.watch(job := new_id(), called)
        await by_platform(events, job, queued())
        assert kinds(await called.next()) == ["queued"]
        await events.close()

    async def test_events_in_a_file_have_no_live_server(self, live: Redis, tmp_path: Path) -> None:
        settings = Settings(broker_url=f"sqlite:///{tmp_path / 'a.db'}", default_queue="q", live_url=live.url)
        with pytest.raises(SettingsError, match="live_url"):
            await open_events(settings, SystemClock())

    async def test_a_live_url_that_cannot_be_used_is_named(self, store: str) -> None:
        with pytest.raises(SettingsError, match="live URL"):
            await open_events(self.settings(store, live_url="redis://x/nothing"), SystemClock())


@pytest.fixture
def _soon_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "LEASE", 2.0)


@pytest.mark.usefixtures("_soon_taken_over")
class TestEventsOnTwoServers(TwoServers, EventsSuite):
    """The whole suite of events, with a router between writers and watchers."""

    @pytest.fixture(autouse=True)
    async def _router(self, two: Settings) -> AsyncIterator[None]:
        async with router_of(two):
            yield

    @pytest.fixture(autouse=True)
    def _live(self, live: Redis) -> None:
        self.live_url = live.url

    async def open(self, store: str, ttl: float = 3600.0) -> Events:
        return await open_events(self.settings(store, live_url=self.live_url, event_ttl=ttl), SystemClock())

    async def cut_off(self, store: str) -> None:
        """Hang up, from the server's side, on everyone who listens."""
        async with operator(self.live_url) as client:
            await client.client_kill_filter(_type="pubsub")

    async def test_what_is_refused_calls_nobody(self, client: Events, other: Events, job: str) -> None:
        # What was written before the watch may be told late here, so somebody else must have heard it first.
        called = Called()
        await other.watch(job, called)
        await by_platform(client, job, done(2))
        assert kinds(await called.next()) == ["done"]
        await super().test_what_is_refused_calls_nobody(client, other, job)


@asynccontextmanager
async def router_of(settings: Settings) -> AsyncIterator[Any]:
    router = await open_router(settings, SystemClock())
    await router.start()
    try:
        yield router
    finally:
        await router.stop()
