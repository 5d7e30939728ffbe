"""The messages on the two queues, as their contract has them."""

from datetime import datetime
from typing import Any, Literal, TypeAlias

import msgspec

from examples.kitchen.crawler.result import CrawlResult, Failed, Skipped


class Ping(msgspec.Struct, frozen=True, kw_only=True, tag_field="action", tag="ping"):
    """Are you there?"""

    job_id: str
    timestamp: datetime | None = None


class CrawlUrl(msgspec.Struct, frozen=True, kw_only=True, tag_field="action", tag="crawl_url"):
    """Crawl from this page, so many links deep."""

    job_id: str
    url: str
    depth: int = 1
    timestamp: datetime | None = None


CrawlRequest: TypeAlias = Ping | CrawlUrl


class Problem(msgspec.Struct, frozen=True):
    """What went wrong, for people."""

    message: str


class CrawlResponse(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a request."""

    action: Literal["task_status_update", "crawl_result"]
    job_id: str
    status: Literal["in_progress", "done", "failed"]
    data: dict[str, Any] = {}
    error: Problem | None = None


def pong(ping: Ping) -> CrawlResponse:
    """Here I am; with the time of the question, so that whoever asked knows how long it took."""
    told = {"message": "pong", "timestamp": msgspec.to_builtins(ping.timestamp)}
    return CrawlResponse(action="task_status_update", job_id=ping.job_id, status="done", data=told)


def in_progress(request: CrawlUrl) -> CrawlResponse:
    """The crawl begins."""
    return CrawlResponse(
        action="task_status_update",
        job_id=request.job_id,
        status="in_progress",
        data={"url": request.url, "depth": request.depth},
    )


def crawled(request: CrawlUrl, result: CrawlResult) -> CrawlResponse:
    """The crawl has ended: well, if at least one page could be read."""
    return CrawlResponse(
        action="crawl_result",
        job_id=request.job_id,
        status="done" if result.counts.pages else "failed",
        data=msgspec.to_builtins(result),
        error=None if result.counts.pages else Problem(_why_nothing(result)),
    )


def refused(job_id: str, why: str) -> CrawlResponse:
    """There is nothing that could be crawled, or nobody who could."""
    return CrawlResponse(action="crawl_result", job_id=job_id, status="failed", error=Problem(why))


_REASONS = {
    "private": "its address is not one of the public internet",
    "offsite": "it leads to another site",
    "robots": "its robots.txt does not allow it",
    "time": "the time for the whole crawl was over",
}


def _why_nothing(result: CrawlResult) -> str:
    match [*result.failed, *result.skipped]:
        case [Failed(url=url, message=message), *_]:
            return f"{url} could not be read: {message}"
        case [Skipped(url=url, reason=reason, message=message), *_]:
            return f"{url} was not visited: {message or _REASONS.get(reason, reason)}"
    return f"{result.url} could not be read."
