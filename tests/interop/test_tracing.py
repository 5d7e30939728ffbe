"""Stories: a trace goes through real servers: delays, retries, dead letters, lanes, pipelines and transactions."""

import asyncio
from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest

from goatherd import Goatherd, Retry
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.dead_letter import LetterFilter
from scripts.servers.addresses import postgres_url, redis_url
from tests.interop.pika_program import PikaProgram
from tests.tracing_in_memory import Story, recorded

pytestmark = [pytest.mark.servers("rabbitmq", "redis", "postgres"), pytest.mark.xdist_group("postgres")]


@pytest.fixture
def story() -> Iterator[Story]:
    with recorded() as story:
        yield story


@pytest.fixture(params=["redis", "postgres"])
def app(request: pytest.FixtureRequest, url: str) -> Goatherd:
    """With lanes on either server."""
    lanes = redis_url() if request.param == "redis" else postgres_url()
    return Goatherd(
        f"traced-{uuid4().hex}", broker_url=url, events_url=redis_url(), records_url=postgres_url(), lanes_url=lanes,
        retry=Retry(1, base=0.05, jitter=0),
    )  # fmt: skip


async def test_a_trace_outlives_every_server_on_its_way(app: Goatherd, story: Story) -> None:
    broken = True
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input)
    async def cut(number: int) -> int:
        return number

    @app.task
    async def fetch() -> None:
        if broken:
            raise ValueError("no such page")

    @app.task(key="post")
    async def comment(post: int) -> None: ...

    async with app.serve("worker"):
        with story.tracer.start_as_current_span("POST /"):
            await fetch.options(delay=0.2).send()
            await comment.send(1)
            run = await films.start(3)
            async with await psycopg.AsyncConnection.connect(postgres_url()) as connection:
                await comment.options(within=connection).send(2)
        assert await run.result(timeout=30) == 3
        office = DeadLetterOffice(app.session().ports.dead_letters, app.format_of)
        await story.until(lambda so_far: len(so_far.named("process fetch")) == 2)
        broken, replayed = False, 0
        async with asyncio.timeout(30):
            while not replayed:
                replayed = sum([count async for count in office.replay(LetterFilter(queue=app.settings.default_queue))])
        await story.until(lambda so_far: len(so_far.named("process fetch")) == 3)
        await story.until(lambda so_far: len(so_far.named("process comment")) == 2)
    assert story.tree() == [
        "POST /",
        *sorted(["POST / > send comment", "POST / > send comment > process comment"] * 2),
        "POST / > send fetch",
        *["POST / > send fetch > process fetch"] * 3,
        "POST / > start films",
        "POST / > start films > process films.cut",
    ]


async def test_other_programs_see_the_headers_of_the_standard(url: str, story: Story, pika: PikaProgram) -> None:
    app = Goatherd("traced", broker_url=url)
    app.queue("orders", format="plain")

    @app.task(queue="orders", remote=True)
    async def order(item: str) -> None: ...

    async with app:
        with story.tracer.start_as_current_span("POST /"):
            await order.send("tea")
        seen = pika.take("orders")
    sent = story.one("send order")
    told = f"00-{sent.context.trace_id:032x}-{sent.context.span_id:016x}-"
    assert seen.properties.headers["traceparent"].startswith(told)
