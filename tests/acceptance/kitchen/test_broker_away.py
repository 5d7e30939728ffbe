"""The broker is away: nothing is accepted, every client is told so in time, and all is well when it is back."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from examples.kitchen.kitchen import Kitchen
from scripts.servers.addresses import amqp_url, management
from scripts.servers.management import with_virtual_host
from scripts.servers.proxy import Proxy
from tests.acceptance.kitchen.premises import Premises, kitchen_in

SECONDS = 4.0
SETTINGS = {"KITCHEN_AI_SECONDS": str(SECONDS), "KITCHEN_CRAWL_SECONDS": str(SECONDS), "GOATHERD_PUBLISH_DEADLINE": "2"}


async def post(kitchen: Premises, path: str, body: object = None) -> httpx2.Response:
    return await asyncio.to_thread(kitchen.post, path, body)


async def until_well(kitchen: Premises) -> None:
    """All programs have found their way back, each with a connection to take work and one to answer."""
    for program, connection in (("ai", "publish"), ("ai", "consume"), ("crawler", "publish"), ("crawler", "consume")):
        one = kitchen.kitchen.ai if program == "ai" else kitchen.kitchen.crawler
        assert await asyncio.to_thread(one.hear, f"'kitchen-{program} {connection}' to .* is back", 30)
    assert await asyncio.to_thread(kitchen.main.hear, "'kitchen' to .* is back", 30)


@pytest.fixture
async def proxy() -> AsyncIterator[Proxy]:
    port = urlsplit(amqp_url()).port
    assert port is not None
    async with Proxy(port) as opened:
        yield opened


@pytest.fixture
def proxied(proxy: Proxy) -> Iterator[Mapping[str, str]]:
    with management().virtual_host() as name:
        parts = urlsplit(amqp_url())
        url = with_virtual_host(f"amqp://{parts.username}:{parts.password}@127.0.0.1:{proxy.port}", name)
        yield {"RABBITMQ_URL": url}


@pytest.fixture
async def kitchen(proxied: Mapping[str, str], tmp_path: Path) -> AsyncIterator[Premises]:
    opened = kitchen_in(tmp_path, {**SETTINGS, **proxied})
    yield await asyncio.to_thread(opened.__enter__)
    await asyncio.to_thread(opened.__exit__, None, None, None)


@pytest.mark.servers
@pytest.mark.xdist_group("kitchen rabbitmq")
async def test_a_broker_that_goes_and_comes(kitchen: Premises, proxy: Proxy) -> None:
    recipe = ("/api/ai/analyze-recipe", {"text": "Boil 2 eggs."})
    assert (await post(kitchen, *recipe)).status_code == 200
    proxy.refuse()
    proxy.cut()
    # What is sent before it knows may have been accepted.
    assert await asyncio.to_thread(kitchen.main.hear, "was lost", 10)
    for path, body in (recipe, ("/api/crawling/ping", None), ("/api/crawling/ping?sync=0", None)):
        began = time.monotonic()
        answer = await post(kitchen, path, body)
        assert time.monotonic() - began < SECONDS + 1
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable"), (path, answer.text)
        assert int(answer.headers["Retry-After"]) >= 1
    health = await asyncio.to_thread(kitchen.get, "/health")
    assert (health.status_code, health.json()["status"]) == (503, "unready")
    assert health.json()["io_thread"]["alive"] is True

    proxy.refuse(refusing=False)
    await until_well(kitchen)
    assert (await post(kitchen, *recipe)).status_code == 200
    assert (await post(kitchen, "/api/crawling/ping")).status_code == 200
    # The callback queue was made anew, under another name, and is the only one.
    told = await asyncio.to_thread(kitchen.health)
    names = [line.rpartition(" ")[2] for line in kitchen.main.lines if "AI callback queue created" in line]
    assert len(names) == 2
    assert (told["callback_queue"]["name"], told["callback_queue"]["consumers"]) == (names[-1], 1)


@pytest.mark.servers
@pytest.mark.xdist_group("kitchen rabbitmq")
async def test_those_who_wait_when_the_connection_is_lost_get_an_answer(kitchen: Premises, proxy: Proxy) -> None:
    await asyncio.to_thread(kitchen.kitchen.ai.stop)
    waiting = [asyncio.create_task(post(kitchen, "/api/ai/analyze-recipe", {"text": "eggs"})) for _ in range(5)]
    assert await asyncio.to_thread(kitchen.main.hear, "AI request published", 10)
    began = time.monotonic()
    proxy.cut()
    statuses = {answer.status_code for answer in await asyncio.gather(*waiting)}
    assert statuses <= {503, 504}
    assert time.monotonic() - began < SECONDS + 1


def test_a_broker_that_never_was_there_is_waited_for(tmp_path: Path) -> None:
    environment = {"RABBITMQ_URL": "amqp://127.0.0.1:1/"}
    with kitchen_in(tmp_path, {**SETTINGS, **environment}, "ai", "crawler") as kitchen:
        for path in ("/api/crawling/ping", "/api/crawling/ping?sync=0"):
            answer = kitchen.post(path)
            assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert kitchen.post("/api/ai/analyze-recipe", {"text": "eggs"}).status_code == 503
        assert kitchen.get("/api/jobs/unknown").status_code == 503
        assert kitchen.main.hear("Not open yet, trying again in")


def test_guest_is_refused_for_a_broker_that_is_not_local(tmp_path: Path) -> None:
    kitchen = Kitchen(tmp_path, {"RABBITMQ_URL": "amqp://guest:guest@broker.example.com/"}, lambda _name, _line: None)
    for program in kitchen.programs:
        program.launch()
        assert program.hear("logs in as guest on broker.example.com, which is not this machine", 20), program.name
        assert program.end() == 1
