"""The crawler program: takes requests from one queue and answers on another.

    goatherd worker examples.kitchen.crawler.service:app

The other side may be written by anyone in any language: both queues carry plain JSON (messages.py).
"""

import logging
import os

import msgspec

from examples.kitchen.crawler.addresses import Addresses
from examples.kitchen.crawler.crawl import Crawler
from examples.kitchen.crawler.frontier import Rights
from examples.kitchen.crawler.links import NotWeb
from examples.kitchen.crawler.messages import (
    CrawlRequest,
    CrawlResponse,
    CrawlUrl,
    Ping,
    crawled,
    in_progress,
    pong,
    refused,
)
from examples.kitchen.crawler.robots import Robots
from examples.kitchen.crawler.settings import Settings, read_settings
from goatherd import Context, DeadLetter, Goatherd, Retry

#: Seconds that are kept back from a crawl to tell what it found.
TO_ANSWER = 2.0


def make_crawler(settings: Settings) -> Crawler:
    """A crawler within these settings."""
    rights = Rights(
        addresses=Addresses(allow_private=settings.allow_private),
        robots=Robots(settings.user_agent, seconds=settings.limits.page_seconds),
    )
    return Crawler(settings.limits, rights, settings.user_agent)


log = logging.getLogger("kitchen.crawler")
# A line for each crawl is enough; one for each page would hide it.
logging.getLogger("httpx2").setLevel(logging.WARNING)

settings = read_settings(os.environ)
crawler = make_crawler(settings)

app = Goatherd("kitchen-crawler", broker_url=settings.broker_url)
requests = app.queue(settings.request_queue, format="plain", type="classic", prefetch=10)
responses = app.queue(settings.response_queue, format="plain", type="classic", prefetch=10)


@app.task(queue=responses, remote=True)
async def answer(response: CrawlResponse, /) -> None:
    """Whoever asked takes it from the queue."""
    raise NotImplementedError("the program that asked does this")


# What a site does is told in the answer. An error that gets out is one of our own surroundings, and passes.
@app.task(queue=requests, retry=Retry(3), timeout=settings.limits.crawl_seconds + 30)
async def work_on(ctx: Context, request: CrawlRequest, /) -> None:
    """Do what a request asks for."""
    match request:
        case Ping():
            await answer.send(pong(request))
        case CrawlUrl():
            await answer.send(in_progress(request))
            # Whoever waits until a deadline gets what was found before it, rather than nothing.
            seconds = None if ctx.remaining is None else ctx.remaining - TO_ANSWER
            await answer.send(await crawl(request, seconds))


async def crawl(request: CrawlUrl, seconds: float | None) -> CrawlResponse:
    """The answer to a request to crawl, good or bad."""
    if request.depth < 0:
        return refused(request.job_id, f"depth is {request.depth}; it must be 0 or more.")
    try:
        result = await crawler.crawl(request.url, request.depth, seconds=seconds)
    except NotWeb as error:
        return refused(request.job_id, str(error))
    counts = result.counts
    log.info("Crawled %s: %d pages, %d failed, in %.1f s", result.url, counts.pages, counts.failed, result.seconds)
    return crawled(request, result)


@app.on_dead_letter
async def tell_who_asked(letter: DeadLetter) -> None:
    """A request that we gave up is answered too, if it can be read that far and somebody still waits."""
    if letter.queue != requests.name or letter.reason == "expired":
        return
    try:
        asked = msgspec.json.decode(letter.body, type=_Asked)
    except msgspec.DecodeError:
        return
    await answer.send(refused(asked.job_id, f"The crawler gave up: {letter.message}"))


class _Asked(msgspec.Struct):
    """As much of a request as an answer needs."""

    job_id: str
