"""Many threads ask while the AI service is slow, fails and dies: everyone is answered in time, with their own."""

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import pytest

from examples.kitchen.trap_site import TrapSite
from scripts.servers.addresses import management
from tests.acceptance.kitchen.conftest import OpenKitchen
from tests.acceptance.kitchen.premises import Premises
from tests.acceptance.kitchen.storm import Outcome, Storm, slowest, statuses

#: Seconds by which an answer may come later than its deadline.
LATE = 1.0

log = logging.getLogger("storm")


@dataclass(frozen=True, kw_only=True)
class Weather:
    """How bad it is."""

    threads: int
    #: Of each thread.
    requests: int
    ai_seconds: float
    crawl_seconds: float
    mischief: str

    @property
    def settings(self) -> dict[str, str]:
        return {
            "KITCHEN_AI_SECONDS": str(self.ai_seconds),
            "KITCHEN_CRAWL_SECONDS": str(self.crawl_seconds),
            "GOATHERD_CONCURRENCY": "32",
            "AI_MISCHIEF": self.mischief,
        }


GUST = Weather(threads=40, requests=6, ai_seconds=3, crawl_seconds=6, mischief="slow=0.2:1,fail=0.05,die=0.01")
STORM = Weather(threads=200, requests=50, ai_seconds=5, crawl_seconds=10, mischief="slow=0.2:2,fail=0.05,die=0.002")


@pytest.mark.timeout(180)
def test_a_gust(open_kitchen: OpenKitchen, broker: Mapping[str, str], site: TrapSite) -> None:
    rage(open_kitchen, broker, site, GUST)


@pytest.mark.chaos
def test_a_storm(open_kitchen: OpenKitchen, broker: Mapping[str, str], site: TrapSite) -> None:
    rage(open_kitchen, broker, site, STORM)


def rage(open_kitchen: OpenKitchen, broker: Mapping[str, str], site: TrapSite, weather: Weather) -> None:
    with open_kitchen(weather.settings) as kitchen:
        storm = Storm(url=kitchen.kitchen.url, site=site.url, threads=weather.threads, requests=weather.requests)
        outcomes = storm.rage()
        seen = {kind: (dict(statuses(outcomes, kind)), slowest(outcomes, kind)) for kind in ("ai", "crawl")}
        stray, deaths = kitchen.metric("goatherd_stray_replies_total"), kitchen.kitchen.ai.restarts
        log.info("%s; %g stray replies, %d deaths", seen, stray, deaths)

        assert len(outcomes) == weather.threads * weather.requests
        odd = [outcome for outcome in outcomes if outcome.status not in (200, 503, 504)]
        assert odd == []
        assert [outcome for outcome in outcomes if not outcome.is_ours] == []
        assert slowest(outcomes, "ai") <= weather.ai_seconds + LATE
        assert slowest(outcomes, "crawl") <= weather.crawl_seconds + LATE
        # A service that answers nobody keeps all the promises above.
        assert statuses(outcomes, "ai")[200] > len(outcomes) / 4
        assert statuses(outcomes, "crawl")[200] > len(outcomes) / 10
        _add_up(kitchen, outcomes)
        if "RABBITMQ_URL" in broker:
            _add_up_at_the_broker(kitchen, broker["RABBITMQ_URL"])
        assert kitchen.health()["status"] == "ok"


def _add_up(kitchen: Premises, outcomes: Sequence[Outcome]) -> None:
    """What clients saw is what the program counted."""
    for kind, task in (("ai", "analyse"), ("crawl", "crawl")):
        seen = statuses(outcomes, kind)
        counted = {
            outcome: kitchen.metric("goatherd_calls_total", task=task, outcome=outcome)
            for outcome in ("answered", "timeout", "unavailable", "refused", "failed", "cancelled")
        }
        assert counted["answered"] == seen[200], (counted, seen)
        assert counted["timeout"] == seen[504], (counted, seen)
        assert counted["unavailable"] + counted["refused"] == seen[503], (counted, seen)
        assert counted["failed"] == counted["cancelled"] == 0
    assert kitchen.metric("goatherd_stray_replies_total", why="foreign") == 0
    assert kitchen.metric("kitchen_http_waiting") == 1  # this one


def _add_up_at_the_broker(kitchen: Premises, url: str) -> None:
    """Every reply that the broker delivered was either an answer or a stray one."""
    queue = kitchen.health()["callback_queue"]["name"]
    virtual_host = urlsplit(url).path[1:]
    path = f"queues/{quote(virtual_host, safe='')}/{quote(queue, safe='')}"
    deadline = time.monotonic() + 20
    while True:
        answered = kitchen.metric("goatherd_calls_total", task="analyse", outcome="answered")
        stray = kitchen.metric("goatherd_stray_replies_total")
        acked = management().ask("GET", path).get("message_stats", {}).get("ack", 0)
        if acked == answered + stray:
            return
        # The broker counts a moment later, and a last answer may be on its way.
        assert time.monotonic() < deadline, f"{acked} acked, {answered} answered, {stray} stray"
        time.sleep(0.1)
