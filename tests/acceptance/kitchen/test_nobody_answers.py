"""Accepted, but nobody answers: the client is told so in time, and nobody works on it later."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx2
import pytest

from examples.kitchen.trap_site import TrapSite
from tests.acceptance.kitchen.conftest import OpenKitchen
from tests.acceptance.kitchen.premises import Premises

SECONDS = 1.5
SETTINGS = {"KITCHEN_AI_SECONDS": str(SECONDS), "KITCHEN_CRAWL_SECONDS": str(SECONDS)}


def timed_out(kitchen: Premises, path: str, body: object = None) -> httpx2.Response:
    began = time.monotonic()
    answer = kitchen.post(path, body)
    assert time.monotonic() - began < SECONDS + 1
    assert (answer.status_code, answer.json()["error"]["code"]) == (504, "timeout"), answer.text
    assert int(answer.headers["Retry-After"]) >= 1
    return answer


def test_the_services_are_down(open_kitchen: OpenKitchen, site: TrapSite) -> None:
    with open_kitchen(SETTINGS, "ai", "crawler") as kitchen:
        timed_out(kitchen, "/api/ai/analyze-recipe", {"text": "Boil 2 eggs."})
        timed_out(kitchen, "/api/crawling/ping")
        page = f"/about?nonce={uuid4().hex}"
        timed_out(kitchen, "/api/crawling/crawl?sync=1", {"url": site.url + page})
        told = kitchen.health()["endpoints"]
        assert told["/api/ai/analyze-recipe"] == {"requests": 1, "timeouts": 1, "ratio": 1.0}
        assert kitchen.metric("kitchen_http_timeout_ratio", endpoint="/api/crawling/ping") == 1
        assert kitchen.metric("goatherd_calls_total", outcome="timeout") == 3

        # They come back, and leave alone what nobody waits for.
        kitchen.kitchen.ai.start()
        kitchen.kitchen.crawler.start()
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."}).status_code == 200
        assert kitchen.post("/api/crawling/ping").status_code == 200
        assert site.requested[page] == 0


def test_a_crawl_that_is_not_waited_for_may_take_its_time(open_kitchen: OpenKitchen, site: TrapSite) -> None:
    with open_kitchen(SETTINGS, "ai", "crawler") as kitchen:
        job_id = kitchen.post("/api/crawling/crawl", {"url": f"{site.url}/menu.pdf"}).json()["job_id"]
        # What was accepted outlives the deadline of those who wait.
        timed_out(kitchen, "/api/crawling/ping")
        assert kitchen.get(f"/api/jobs/{job_id}").json()["status"] == "queued"
        kitchen.kitchen.crawler.start()
        until = time.monotonic() + 20
        while (job := kitchen.get(f"/api/jobs/{job_id}").json())["status"] != "done":
            assert time.monotonic() < until, job
            time.sleep(0.05)


def test_a_main_program_that_was_away_takes_the_answers_to_its_predecessor(
    open_kitchen: OpenKitchen, site: TrapSite
) -> None:
    with open_kitchen({}, "ai") as kitchen:
        job_id = kitchen.post("/api/crawling/crawl", {"url": f"{site.url}/", "depth": 1}).json()["job_id"]
        kitchen.main.stop()
        assert kitchen.kitchen.crawler.hear("Crawled", 20)
        kitchen.main.start()
        with httpx2.Client(base_url=kitchen.kitchen.url) as client:
            until = time.monotonic() + 10
            while (job := client.get(f"/api/jobs/{job_id}").json())["status"] != "done":
                assert time.monotonic() < until, job
                time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_request_survives_the_death_of_its_worker(open_kitchen: OpenKitchen, number: signal.Signals) -> None:
    with open_kitchen({"AI_MISCHIEF": "slow=1:1"}, "crawler") as kitchen, ThreadPoolExecutor() as pool:
        waiting = pool.submit(kitchen.post, "/api/ai/analyze-recipe", {"text": "Boil 2 eggs."})
        assert kitchen.main.hear("AI request published", 10)
        kitchen.kitchen.ai.tell(number)
        assert waiting.result().status_code == 200
