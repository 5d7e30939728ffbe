"""What clients ask for, over HTTP, on a good day."""

import time
from hashlib import sha256
from typing import Any
from uuid import UUID

import pytest

from examples.kitchen.crawler.limits import Limits
from examples.kitchen.story.stage import RECIPE
from examples.kitchen.trap_site import TrapSite
from tests.acceptance.kitchen.premises import Premises

#: As the kitchen sets them for a site on this machine.
LIMITS = Limits(page_seconds=2.0)
DEPTH = 4
#: Seconds that a crawl may take.
PATIENCE = 40.0


def ended(kitchen: Premises, job_id: str) -> dict[str, Any]:
    """The job, when it has ended."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        job: dict[str, Any] = kitchen.get(f"/api/jobs/{job_id}").json()
        if job["status"] in ("done", "failed"):
            return job
        time.sleep(0.05)
    raise AssertionError(f"the job did not end: {job}")


@pytest.mark.parametrize("name", ["user_input", "text"])
def test_a_recipe_is_read(kitchen: Premises, name: str) -> None:
    answer = kitchen.post("/api/ai/analyze-recipe", {name: RECIPE})
    assert answer.status_code == 200, answer.text
    assert answer.json()["success"] is True
    result = answer.json()["result"]
    assert [ingredient["item"] for ingredient in result["ingredients"]] == ["leeks", "water", "butter"]
    assert result["input_sha256"] == sha256(RECIPE.encode()).hexdigest()


def test_a_picture_is_measured_and_its_description_read(kitchen: Premises) -> None:
    asked = {"s3_url": "s3://menu/soup.png", "description": "Boil 2 leeks in 1 litre of water."}
    answer = kitchen.post("/api/ai/analyze-image", asked)
    assert answer.status_code == 200, answer.text
    result = answer.json()["result"]
    assert (result["picture"]["width"], result["picture"]["height"]) == (320, 200)
    assert [ingredient["item"] for ingredient in result["ingredients"]] == ["leeks", "water"]


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("s3://menu/no.png", 422, "picture_missing"),
        ("file:///no/such.png", 422, "picture_denied"),
        ("https://example.com/a.png", 400, "bad_request"),
    ],
)
def test_a_picture_that_cannot_be_read_is_told(kitchen: Premises, address: str, status: int, code: str) -> None:
    answer = kitchen.post("/api/ai/analyze-image", {"s3_url": address})
    assert (answer.status_code, answer.json()["success"], answer.json()["error"]["code"]) == (status, False, code)


def test_the_crawler_answers_a_ping(kitchen: Premises) -> None:
    answer = kitchen.post("/api/crawling/ping")
    assert answer.status_code == 200
    assert answer.json()["data"]["message"] == "pong"
    UUID(answer.json()["job_id"])


def test_a_ping_need_not_be_waited_for(kitchen: Premises) -> None:
    answer = kitchen.post("/api/crawling/ping?sync=0")
    assert answer.status_code == 202
    assert ended(kitchen, answer.json()["job_id"])["data"]["message"] == "pong"


def test_a_crawl_of_a_site_with_traps_is_looked_up_by_its_id(kitchen: Premises, site: TrapSite) -> None:
    answer = kitchen.post("/api/crawling/crawl", {"url": f"{site.url}/", "depth": DEPTH})
    assert answer.status_code == 202
    told = answer.json()
    assert told["status"] == "queued"
    assert kitchen.get(told["url"]).json()["status"] in ("queued", "in_progress")
    job = ended(kitchen, told["job_id"])
    assert (job["action"], job["job_id"], job["status"], job["error"]) == ("crawl_result", told["job_id"], "done", None)
    assert site.expected(DEPTH, LIMITS).differences(job["data"]) == []


@pytest.mark.parametrize(("query", "body"), [("?sync=1", {}), ("", {"sync": True})], ids=["query", "body"])
def test_a_crawl_of_a_site_with_traps_is_waited_for(
    kitchen: Premises, site: TrapSite, query: str, body: dict[str, bool]
) -> None:
    answer = kitchen.post(f"/api/crawling/crawl{query}", {"url": f"{site.url}/", "depth": DEPTH, **body})
    assert answer.status_code == 200
    assert site.expected(DEPTH, LIMITS).differences(answer.json()["data"]) == []
    # It can be looked up, too, by whoever comes later.
    assert ended(kitchen, answer.json()["job_id"]) == answer.json()


def test_a_crawl_that_finds_nothing_is_an_answer_too(kitchen: Premises) -> None:
    answer = kitchen.post("/api/crawling/crawl?sync=1", {"url": "http://169.254.169.254/"})
    assert (answer.status_code, answer.json()["status"]) == (200, "failed")
    assert "169.254.169.254" in answer.json()["error"]["message"]
    assert ended(kitchen, answer.json()["job_id"])["status"] == "failed"


def test_a_job_that_nobody_knows_is_not_found(kitchen: Premises) -> None:
    answer = kitchen.get("/api/jobs/00000000-0000-7000-8000-000000000000")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "unknown_job")
