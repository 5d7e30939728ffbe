"""The suites of events, feed and lanes on Valkey; they are left out, with the reason, where there is none."""

from collections.abc import Iterator

import pytest

from goatherd.ports.clock import SystemClock
from goatherd.ports.events import Events
from goatherd.testing.suites import EventsSuite, FeedSuite, LanesSuite
from goatherd.wiring import open_events
from scripts.servers.install import NoServer
from scripts.servers.valkey import a_valkey
from tests.conformance.redis_lane_store import RedisLaneStore
from tests.conformance.redis_store import RedisStore, operator
from tests.conformance.test_redis_feed import RedisFeedStore

pytestmark = [pytest.mark.servers("redis"), pytest.mark.xdist_group("valkey")]


@pytest.fixture(scope="module")
def valkey_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    try:
        with a_valkey(tmp_path_factory.mktemp("valkey")) as url:
            yield url
    except NoServer as error:
        pytest.skip(str(error))


class OnValkey(RedisStore):
    @pytest.fixture(autouse=True)
    def _valkey(self, valkey_url: str) -> None:
        self.url = lambda: valkey_url


class TestEventsOnValkey(OnValkey, EventsSuite):
    async def open(self, store: str, ttl: float = 3600.0) -> Events:
        return await open_events(self.settings(store, event_ttl=ttl), SystemClock())

    async def cut_off(self, store: str) -> None:
        """Hang up, from the server's side, on everyone who listens."""
        async with operator(self.url()) as client:
            await client.client_kill_filter(_type="pubsub")


class TestFeedOnValkey(OnValkey, RedisFeedStore, FeedSuite):
    pass


class TestLanesOnValkey(RedisLaneStore, LanesSuite):
    @pytest.fixture(autouse=True)
    def _valkey(self, valkey_url: str) -> None:
        self.url = lambda: valkey_url


async def test_it_is_a_valkey(valkey_url: str) -> None:
    async with operator(valkey_url) as client:
        assert (await client.info("server"))["server_name"] == "valkey"
