"""The Goatherd app of the main program: whom it asks, on which queues, and how long it waits."""

import os

from examples.kitchen.main.messages import Analysis, CrawlAnswer, CrawlUrl, Ping
from examples.kitchen.main.settings import read_settings
from goatherd import Goatherd
from goatherd.sync import blocking

settings = read_settings(os.environ)

app = Goatherd("kitchen", broker_url=settings.broker_url, reply_queue="exclusive", connections="shared")
ai_queue = app.queue(settings.ai_queue, format="plain", type="classic", ttl=300)
crawl_queue = app.queue(
    settings.crawl_requests,
    format="plain",
    type="classic",
    prefetch=10,
    answers_on=settings.crawl_responses,
    match="job_id",
    until={"status": ["done", "failed"]},
)


@app.task(queue=ai_queue, remote=True, deadline=settings.ai_seconds)
async def analyse(user_input: str) -> Analysis:
    """Say what a recipe, or a picture of one, holds."""
    raise NotImplementedError("the AI service does this")


# It has no deadline here: only who waits for the answer has one, and a crawl that is looked up later may take its time.
@app.task(queue=crawl_queue, remote=True)
async def crawl(request: Ping | CrawlUrl, /) -> CrawlAnswer:
    """Answer a ping, or crawl a web site."""
    raise NotImplementedError("the crawler does this")


#: What the threads of the web server use: every verb waits, and all of them share one I/O thread.
herd = blocking(app)
ask_ai = blocking(analyse)
ask_crawler = blocking(crawl)
