"""RabbitMQ or Redis is away: nobody is left without an answer, and all is well when they are back."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2
import pytest

from examples.chat.story.model_server import answer_to
from examples.chat.story.stage import Stage
from scripts.servers.proxy import Proxy
from tests.acceptance.chat.conftest import ON_SERVERS
from tests.acceptance.chat.premises import chat_in

pytestmark = ON_SERVERS


def through(proxy: Proxy, url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{parts.netloc.rpartition(':')[0]}:{proxy.port}"))


@pytest.fixture
async def proxies(servers: Mapping[str, str]) -> AsyncIterator[dict[str, Proxy]]:
    """What stands before each server, by the variable that names it."""
    names = ("CHAT_RABBITMQ_URL", "REDIS_STREAMS_URL")
    broker, events = (Proxy(urlsplit(servers[name]).port or 0) for name in names)
    async with broker, events:
        yield dict(zip(names, (broker, events), strict=True))


@pytest.fixture
async def stage(servers: Mapping[str, str], proxies: dict[str, Proxy], tmp_path: Path) -> AsyncIterator[Stage]:
    proxied = {name: through(proxy, servers[name]) for name, proxy in proxies.items()}
    opened = chat_in(tmp_path, {**servers, **proxied, "GOATHERD_PUBLISH_DEADLINE": "2"})
    yield await asyncio.to_thread(opened.__enter__)
    await asyncio.to_thread(opened.__exit__, None, None, None)


async def ask(stage: Stage, message: str) -> httpx2.Response:
    path = f"/api/v1/chat/{stage.chat_id}/messages"
    return await asyncio.to_thread(stage.client.post, path, json={"message": message, "model": "offline"})


@pytest.mark.parametrize("name", ["CHAT_RABBITMQ_URL", "REDIS_STREAMS_URL"])
async def test_questions_are_refused_until_it_is_back(stage: Stage, proxies: dict[str, Proxy], name: str) -> None:
    assert (await ask(stage, "Hello!")).status_code == 202
    proxies[name].refuse()
    proxies[name].cut()
    refused = await ask(stage, "Hello!")
    assert (refused.status_code, int(refused.headers["Retry-After"]) >= 1) == (503, True), refused.text
    assert refused.json()["error"].startswith("Not accepted, try again: ")
    proxies[name].refuse(refusing=False)
    accepted = await until_accepted(stage)
    await asyncio.to_thread(must_be_answered, stage, accepted)


async def until_accepted(stage: Stage) -> dict[str, Any]:
    """As clients do it: come again when they were told to."""
    async with asyncio.timeout(30):
        while (answer := await ask(stage, "Hello!")).status_code == 503:
            await asyncio.sleep(0.2)
    assert answer.status_code == 202, answer.text
    accepted: dict[str, Any] = answer.json()
    return accepted


def must_be_answered(stage: Stage, accepted: dict[str, Any]) -> None:
    with stage.watch(accepted) as watcher:
        assert watcher.end().event == "done"


async def test_an_answer_goes_on_while_redis_is_away(stage: Stage, proxies: dict[str, Proxy]) -> None:
    """What is written meanwhile reaches the watcher when it is back."""
    question, redis = stage.a_question(), proxies["REDIS_STREAMS_URL"]
    stage.model.hold_at(20)
    accepted = await asyncio.to_thread(stage.ask, question)
    watcher = stage.watch(accepted, after="earliest")
    try:
        await asyncio.to_thread(watcher.wait_for_words, 20)
        redis.refuse()
        redis.cut()
        stage.model.go_on()
        # The worker has read the answer to its end, and cannot tell anybody.
        assert await asyncio.to_thread(stage.chat.worker.hear, "Events cannot be written for now", 20)
        redis.refuse(refusing=False)
        await asyncio.to_thread(stage.must_be_right, watcher, answer_to(question))
    finally:
        await asyncio.to_thread(watcher.close)
