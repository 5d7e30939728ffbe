"""The program answers every request, by its contract."""

import asyncio
from typing import Any

import msgspec
import pytest

from examples.kitchen.crawler import service
from examples.kitchen.crawler.messages import CrawlRequest, CrawlUrl, Ping
from goatherd.testing import Herd, testing
from tests.examples.kitchen.crawler.stage import Answer, crawler, links, reply, serving

FIELDS = {"action", "job_id", "status", "data", "error"}
JOB = "0b1f7a52-6f0e-4a41-9f58-7d4a3a0a6a55"


@pytest.fixture(autouse=True)
def near_crawler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sites of this machine may be crawled here."""
    monkeypatch.setattr(service, "crawler", crawler())


def answers(herd: Herd) -> list[dict[str, Any]]:
    """What whoever asked finds on the queue."""
    return [msgspec.to_builtins(job.arguments["response"]) for job in herd.jobs(service.answer)]


async def answered(request: CrawlRequest) -> list[dict[str, Any]]:
    async with testing(service.app) as herd:
        await service.work_on.send(request)
        await herd.drain()
        [job] = herd.jobs(service.work_on)
        assert (job.state, job.attempts) == ("done", 1)
        assert all(answer.keys() == FIELDS and answer["job_id"] == JOB for answer in answers(herd))
        return answers(herd)


async def test_a_ping_is_answered() -> None:
    ping = msgspec.json.decode(f'{{"action":"ping","job_id":"{JOB}","timestamp":"2031-05-01T12:00:00Z"}}', type=Ping)
    [answer] = await answered(ping)
    assert (answer["action"], answer["status"], answer["error"]) == ("task_status_update", "done", None)
    assert answer["data"] == {"message": "pong", "timestamp": "2031-05-01T12:00:00Z"}


async def test_a_crawl_is_in_progress_and_then_done() -> None:
    async with serving({"/": links("/a", title="Home"), "/a": links()}) as site:
        begun, ended = await answered(CrawlUrl(job_id=JOB, url=site.url, depth=1))
        assert begun == {
            "action": "task_status_update",
            "job_id": JOB,
            "status": "in_progress",
            "data": {"url": site.url, "depth": 1},
            "error": None,
        }
        assert (ended["action"], ended["status"], ended["error"]) == ("crawl_result", "done", None)
        assert ended["data"]["counts"]["pages"] == 2
        assert ended["data"]["pages"][0] == {
            "url": f"{site.url}/",
            "status": 200,
            "depth": 0,
            "content_type": "text/html",
            "title": "Home",
            "text": ".",
            "links": 1,
            "cut": False,
            "recipe": None,
        }


@pytest.mark.parametrize(
    ("site", "why"),
    [
        ({"/": reply(status=500)}, "could not be read: The server answered with status 500."),
        ({"/robots.txt": reply("User-agent: *\nDisallow: /")}, "was not visited: its robots.txt does not allow it"),
        ({"/robots.txt": reply(status=503)}, "was not visited: robots.txt cannot be read (the server answered with"),
        ({"/": reply(status=302, location="http://10.0.0.1/")}, "was not visited: it leads to another site"),
        ({"/": reply(status=302, location="http://169.254.1.1/")}, "was not visited: its address is not one of the"),
    ],
)
async def test_a_crawl_that_finds_nothing_has_failed_and_says_why(site: dict[str, Answer], why: str) -> None:
    async with serving(site) as server:
        _, ended = await answered(CrawlUrl(job_id=JOB, url=server.url))
        assert (ended["action"], ended["status"]) == ("crawl_result", "failed")
        assert why in ended["error"]["message"]
        assert ended["data"]["counts"]["pages"] == 0


@pytest.mark.parametrize(
    ("url", "depth", "why"),
    [("ftp://kitchen.test/", 1, "'ftp://kitchen.test/' is not an address"), ("http://x/", -1, "depth is -1")],
)
async def test_what_cannot_be_crawled_is_refused(url: str, depth: int, why: str) -> None:
    _, ended = await answered(CrawlUrl(job_id=JOB, url=url, depth=depth))
    assert (ended["status"], ended["data"]) == ("failed", {})
    assert ended["error"]["message"].startswith(why)


async def test_a_fault_of_our_own_is_tried_again_and_then_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(url: str, depth: int, seconds: float | None) -> None:
        raise MemoryError("too many pages")

    monkeypatch.setattr(service.crawler, "crawl", fail)
    async with testing(service.app) as herd:
        await service.work_on.send(CrawlUrl(job_id=JOB, url="http://kitchen.test/"))
        await herd.advance(60)
        [job] = herd.jobs(service.work_on)
        assert (job.state, job.attempts) == ("failed", 4)
        assert [answer["status"] for answer in answers(herd)] == ["in_progress"] * 4 + ["failed"]
        assert answers(herd)[-1]["error"] == {"message": "The crawler gave up: too many pages"}


async def test_a_crawl_is_repeated_when_a_worker_dies() -> None:
    async with serving({"/": links()}) as site, testing(service.app) as herd:
        herd.crash(service.work_on, at="end")
        await service.work_on.send(CrawlUrl(job_id=JOB, url=site.url))
        await herd.drain()
        assert [answer["status"] for answer in answers(herd)] == ["in_progress", "done"] * 2


async def test_whoever_waits_until_a_deadline_gets_what_was_found_before_it() -> None:
    async def never(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    async with serving({"/": links("/slow"), "/slow": never}) as site, testing(service.app) as herd:
        # The test's clock stands still, so that all of it remains when the crawl begins.
        await service.work_on.options(deadline=service.TO_ANSWER + 2).send(CrawlUrl(job_id=JOB, url=site.url))
        await herd.drain()
        ended = answers(herd)[-1]
        assert (ended["status"], ended["data"]["counts"]["pages"]) == ("done", 1)
        assert (ended["data"]["complete"], ended["data"]["counts"]["skipped"]) == (False, {"time": 1})
        assert ended["data"]["seconds"] < service.settings.limits.page_seconds
