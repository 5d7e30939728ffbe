"""Stories: a trace goes through real servers: delays, retries, dead letters, lanes, pipelines and transactions."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from goatherd import Goatherd, Retry
from goatherd.engine.dead_letters import DeadLetterOffice
from goatherd.model.dead_letter import LetterFilter
from goatherd.model.stream_token import sign
from goatherd.web.gateway import Gateway
from scripts.servers.addresses import postgres_url, redis_url
from tests.interop.pika_program import PikaProgram
from tests.tracing_in_memory import Story, recorded
from tests.unit.web.visitor import Visitor

pytestmark = [pytest.mark.servers("rabbitmq", "redis", "postgres"), pytest.mark.xdist_group("postgres")]

SECRET = "a secret for tests alone"


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
        retry=Retry(1, base=0.05, jitter=0), secret=SECRET,
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


async def test_one_trace_from_the_request_to_the_browser(app: Goatherd, story: Story) -> None:
    films = app.pipeline("films", takes=int, gives=int)

    @films.step(after=films.input)
    async def cut(number: int) -> int:
        return number

    @app.task(key="number")
    async def order(number: int) -> str:
        return (await films.start(number)).id

    gateway = Gateway([app])
    async with app.serve("worker", "router"):
        with story.tracer.start_as_current_span("POST /orders"):
            run_id = await (await order.start(7)).result(timeout=30)
        token = sign(SECRET, app.name, run_id, "ada", app.clock.now() + 900)
        request = {"authorization": f"Bearer {token}", "traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
        visitor = Visitor(gateway, f"/{app.name}/{run_id}/events", headers=request)
        await visitor.until(lambda seen: seen.complete)
        await visitor.task
        assert await app.run(run_id, films).result(timeout=30) == 7
    await gateway.close()
    way = "POST /orders > start order > process order > start films"
    assert story.tree() == [
        "POST /orders",
        "POST /orders > start order",
        "POST /orders > start order > process order",
        way,
        f"{way} > process films.cut",
        f"{way} > stream {app.name}",
    ]
    assert story.traces == 1
    [link] = story.one(f"stream {app.name}").links
    assert (link.context.trace_id, link.context.span_id) == (int("a" * 32, 16), int("b" * 16, 16))


async def test_a_message_of_a_stranger_is_done_whatever_its_headers_say(
    url: str, story: Story, pika: PikaProgram
) -> None:
    app = Goatherd(f"traced-{uuid4().hex}", broker_url=url, retry=Retry(0))
    queue = app.queue(f"orders-{uuid4().hex}", format="plain")
    done: list[str] = []

    @app.task(queue=queue)
    async def order(item: str) -> None:
        done.append(item)

    known = f"00-{'1' * 32}-{'2' * 16}-01"
    strange: list[dict[str, Any]] = [
        {"traceparent": known},
        {"traceparent": known, "tracestate": "x" * 20_000, "baggage": "a=" + "b" * 20_000},
        {"traceparent": 7},
        {"traceparent": b"\xff\xfe"},
        {"traceparent": {"of": ["tables"]}},
        {"traceparent": None, "baggage": []},
    ]
    async with app.serve("worker"):
        for headers in strange:
            pika.send(queue.name, {"item": "tea"}, headers=headers)
        await story.until(lambda so_far: len(so_far.named("process order")) == len(strange))
    assert done == ["tea"] * len(strange)
    parents = [span.parent and span.parent.span_id for span in story.named("process order")]
    assert parents.count(int("2" * 16, 16)) == 2
    assert parents.count(None) == len(strange) - 2


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
