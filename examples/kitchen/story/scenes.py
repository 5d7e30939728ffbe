"""What a user does on a good day."""

import time
from typing import Any

from examples.kitchen.crawler.limits import Limits
from examples.kitchen.story.stage import PAGE_SECONDS, Stage, png
from examples.running.checks import must

#: Links from the first page of the site to the last one that is crawled.
DEPTH = 4
#: Seconds that a crawl may take, and between two looks at it.
TO_CRAWL, GLANCE = 60.0, 0.05


def recipe(stage: Stage) -> str:
    """Have a recipe read."""
    result = stage.read_recipe().json["result"]
    found = ", ".join(ingredient["item"] for ingredient in result["ingredients"])
    return f"{result['title']}: {found}, {len(result['steps'])} steps, by {result['method']}"


def picture(stage: Stage) -> str:
    """Have a picture measured and its description read; one that is not there is told."""
    place = stage.kitchen.pictures / "soup.png"
    place.write_bytes(png(640, 480))
    asked = {"s3_url": place.as_uri(), "description": "Boil 2 leeks in 1 litre of water."}
    facts = stage.user.post("/api/ai/analyze-image", asked).json["result"]["picture"]
    must((facts["width"], facts["height"]) == (640, 480), f"the picture is {facts}")
    missing = {"s3_url": (stage.kitchen.pictures / "no.png").as_uri(), "description": ""}
    told = stage.user.post("/api/ai/analyze-image", missing, 422).json
    must(told["success"] is False, f"the answer is {told}")
    return f"{facts['media_type']} of 640 x 480; one that is not there: 422"


def ping(stage: Stage) -> str:
    """Ask whether the crawler is there."""
    answered = stage.user.post("/api/crawling/ping")
    must(answered.json["data"]["message"] == "pong", f"the answer is {answered.text}")
    return f"pong in {1000 * answered.seconds:.0f} ms"


def crawl_later(stage: Stage) -> str:
    """Have a site crawled, and watch the job by its id until it has ended."""
    accepted = stage.user.post("/api/crawling/crawl", {"url": f"{stage.site.url}/", "depth": DEPTH}, 202)
    job_id = accepted.json["job_id"]
    states: list[str] = []
    until = time.monotonic() + TO_CRAWL
    while True:
        job = stage.user.get(f"/api/jobs/{job_id}").json
        if job["status"] not in states:
            states.append(job["status"])
        if job["status"] in ("done", "failed"):
            break
        must(time.monotonic() < until, f"after {TO_CRAWL:g} s the job's states were {states}")
        time.sleep(GLANCE)
    must(states[-2:] == ["in_progress", "done"], f"the job's states were {states}: {job.get('error')}")
    _must_be_right(stage, job["data"])
    counts = job["data"]["counts"]
    found = f"{counts['pages']} pages, {counts['recipes']} recipes, {counts['failed']} failed"
    return f"accepted in {1000 * accepted.seconds:.0f} ms, then {', '.join(states)}: {found}"


def crawl_now(stage: Stage) -> str:
    """Wait for the same crawl."""
    answered = stage.user.post("/api/crawling/crawl?sync=1", {"url": f"{stage.site.url}/", "depth": DEPTH})
    _must_be_right(stage, answered.json["data"])
    return f"every page and every trap as it should be, in {answered.seconds:.1f} s"


def nonsense(stage: Stage) -> str:
    """Ask for what there is not, and in ways that nobody understands."""
    stage.user.get("/api/jobs/00000000-0000-7000-8000-000000000000", 404)
    stage.user.get("/api/nowhere", 404)
    bad: list[tuple[str, object]] = [
        ("/api/ai/analyze-recipe", {}),
        ("/api/ai/analyze-recipe", {"user_input": 5}),
        ("/api/ai/analyze-recipe", ["soup"]),
        ("/api/ai/analyze-image", {"description": "soup"}),
        ("/api/crawling/crawl", {"url": "ftp://example.com/"}),
        ("/api/crawling/crawl", {"url": stage.site.url, "depth": -1}),
        ("/api/crawling/crawl?sync=maybe", {"url": stage.site.url}),
    ]
    for path, body in bad:
        stage.user.post(path, body, 400)
    return f"unknown job and address: 404; {len(bad)} bad requests: 400 each"


def _must_be_right(stage: Stage, found: dict[str, Any]) -> None:
    differences = stage.site.expected(DEPTH, Limits(page_seconds=PAGE_SECONDS)).differences(found)
    must(not differences, f"{len(differences)} differences: {differences[:3]}")
