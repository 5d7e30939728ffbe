"""The program on one SQLite file, beside the program that asks."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec

from examples.kitchen.crawler.messages import CrawlRequest, CrawlResponse, CrawlUrl, Ping
from examples.kitchen.trap_site import TrapSite
from goatherd import Goatherd
from tests.examples.kitchen.crawler.program import LIMITS, PATIENCE, running


async def test_two_programs_share_a_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/kitchen.db"
    app = Goatherd("kitchen", broker_url=url)
    heard: asyncio.Queue[CrawlResponse] = asyncio.Queue()

    @app.task(queue=app.queue("asked", format="plain"), remote=True)
    async def ask(request: CrawlRequest, /) -> None:
        raise NotImplementedError("the crawler does this")

    @app.task(queue=app.queue("answered", format="plain"))
    async def hear(response: CrawlResponse, /) -> None:
        heard.put_nowait(response)

    queues = {"RABBITMQ_CRAWLING_REQUEST_QUEUE": "asked", "RABBITMQ_CRAWLING_RESPONSE_QUEUE": "answered"}
    with TrapSite() as site:
        async with running(GOATHERD_BROKER_URL=url, **queues), app.serve("worker"):
            await ask.send(Ping(job_id="p-1"))
            assert _told(await asyncio.wait_for(heard.get(), PATIENCE)) == ("task_status_update", "p-1", "done")

            await ask.send(CrawlUrl(job_id="c-1", url=site.url, depth=4))
            assert _told(await asyncio.wait_for(heard.get(), PATIENCE))[2] == "in_progress"
            ended = await asyncio.wait_for(heard.get(), PATIENCE)
            assert _told(ended) == ("crawl_result", "c-1", "done")
            assert site.expected(4, LIMITS).differences(ended.data) == []


def _told(response: CrawlResponse) -> tuple[Any, ...]:
    assert set(msgspec.to_builtins(response)) == {"action", "job_id", "status", "data", "error"}
    return response.action, response.job_id, response.status
