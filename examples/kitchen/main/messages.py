"""The messages on the queues, as their contract has them; the programs on the other side may be anyone's."""

from datetime import datetime
from typing import Any, Literal

import msgspec


class Analysis(msgspec.Struct, frozen=True, kw_only=True):
    """What the AI service answers: a result, or why there is none."""

    success: bool
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.success and self.result is None:
            raise ValueError("an answer with success, but without a result")


class Ping(msgspec.Struct, frozen=True, kw_only=True, tag_field="action", tag="ping"):
    """Is the crawler there? The job's id is added when it is sent."""

    timestamp: datetime


class CrawlUrl(msgspec.Struct, frozen=True, kw_only=True, tag_field="action", tag="crawl_url"):
    """Crawl from this page, so many links deep. The job's id is added when it is sent."""

    url: str
    depth: int = 1


class Problem(msgspec.Struct, frozen=True):
    """What went wrong, for people."""

    message: str


class CrawlAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What the crawler answers, at its beginning and at its end."""

    action: Literal["task_status_update", "crawl_result"]
    job_id: str
    status: Literal["in_progress", "done", "failed"]
    data: dict[str, Any] = {}
    error: Problem | None = None
