"""Work for the crawler: handed over at once, or waited for."""

from datetime import UTC, datetime

from flask import Blueprint, url_for

from examples.kitchen.main.answers import Answer, told
from examples.kitchen.main.herd import ask_crawler, settings
from examples.kitchen.main.messages import CrawlUrl, Ping
from examples.kitchen.main.reading import CrawlInput, PingInput, read_body, wants_to_wait

routes = Blueprint("crawling", __name__, url_prefix="/api/crawling")


@routes.post("/ping")
def ping() -> Answer:
    """Is the crawler there? Waits for its answer, unless `sync` is 0."""
    wait = wants_to_wait(read_body(PingInput).sync, otherwise=True)
    return _ask(Ping(timestamp=datetime.now(UTC)), wait=wait)


@routes.post("/crawl")
def crawl() -> Answer:
    """Crawl a site. Answers at once with the job's id, unless `sync` is 1."""
    asked = read_body(CrawlInput)
    wait = wants_to_wait(asked.sync, otherwise=False)
    return _ask(CrawlUrl(url=asked.url, depth=asked.depth), wait=wait)


def _ask(request: Ping | CrawlUrl, *, wait: bool) -> Answer:
    if wait:
        return told(ask_crawler.options(deadline=settings.crawl_seconds).call(request))
    run = ask_crawler.start(request)
    return told({"job_id": run.id, "status": "queued", "url": url_for("jobs.job", job_id=run.id)}, 202)
