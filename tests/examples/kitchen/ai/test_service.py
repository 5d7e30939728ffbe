"""The service on the real engine: a message comes, a reply is made."""

import json
import logging
from collections.abc import Callable
from hashlib import sha256
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from examples.kitchen.ai.settings import VARIABLES
from goatherd.testing import testing
from tests.examples.kitchen.ai import recipes
from tests.examples.kitchen.ai.model_server import model_server
from tests.examples.kitchen.ai.test_image_header import png

Start = Callable[..., ModuleType]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Start:
    """Makes a service of its own, with these variables and none of the machine's own."""
    for variable in VARIABLES.values():
        monkeypatch.delenv(variable, raising=False)

    def started(**environment: str) -> ModuleType:
        for variable, value in environment.items():
            monkeypatch.setenv(variable, value)
        spec = find_spec("examples.kitchen.ai.service")
        assert spec is not None
        assert spec.loader is not None
        service = module_from_spec(spec)
        spec.loader.exec_module(service)
        return service

    return started


async def reply_to(service: ModuleType, user_input: str) -> dict[str, Any]:
    """The JSON that a caller gets."""
    async with testing(service.app) as herd:
        await service.analyse.send(user_input)
        await herd.drain()
        [job] = herd.jobs(service.analyse)
        assert job.state == "done", job.error
        reply: dict[str, Any] = json.loads(msgspec.json.encode(job.result))
        return reply


async def test_a_recipe_is_answered_by_rules_and_the_reply_says_so(start: Start) -> None:
    reply = await reply_to(start(), recipes.HEADED)
    assert reply.keys() == {"success", "result"}
    result = reply["result"]
    assert (reply["success"], result["provider"], result["method"]) == (True, "offline", "rules")
    assert result["input_sha256"] == sha256(recipes.HEADED.encode()).hexdigest()
    assert result["title"] == "Weekday Banana Pancakes"
    assert result["ingredients"][0]["item"] == "flour"
    assert "without a language model" in result["note"]


async def test_a_text_that_is_no_recipe_is_a_result_that_says_so(start: Start) -> None:
    result = (await reply_to(start(), "Dear Tom, thank you for the books."))["result"]
    assert (result["is_recipe"], result["confidence"], result["ingredients"], result["steps"]) == (False, 0, [], [])
    assert "does not look like a recipe" in result["note"]


async def test_a_picture_is_measured_and_its_description_read(start: Start, tmp_path: Path) -> None:
    (tmp_path / "soup.png").write_bytes(png(640, 480))
    asked = {"s3_url": (tmp_path / "soup.png").as_uri(), "description": "Boil 2 leeks in 1 litre of water."}
    result = (await reply_to(start(AI_PICTURE_FOLDER=str(tmp_path)), json.dumps(asked)))["result"]
    assert result["picture"]["media_type"] == "image/png"
    assert (result["picture"]["width"], result["picture"]["height"]) == (640, 480)
    assert [ingredient["item"] for ingredient in result["ingredients"]] == ["leeks", "water"]
    assert "not looked at" in result["note"]


@pytest.mark.parametrize(
    ("user_input", "code"),
    [
        ('{"s3_url": "https://example.com/soup.png"}', "bad_request"),
        ('{"s3_url": 5}', "bad_request"),
        ('{"s3_url": "file:///soup.png", "description": null}', "picture_denied"),
        ("soup " * 20, "too_large"),
    ],
)
async def test_a_request_that_cannot_be_answered_is_answered_all_the_same(
    start: Start, user_input: str, code: str
) -> None:
    reply = await reply_to(start(AI_MAX_TEXT="80"), user_input)
    assert reply.keys() == {"success", "error"}
    assert (reply["success"], reply["error"]["code"]) == (False, code)
    assert reply["error"]["message"]
    assert reply["error"]["input_sha256"] == sha256(user_input.encode()).hexdigest()


@pytest.mark.parametrize("user_input", ['{"title": "Soup"}', "{", "[1]", '{"a": 1} and so on'])
async def test_json_without_a_picture_is_text_like_any_other(start: Start, user_input: str) -> None:
    assert (await reply_to(start(), user_input))["result"]["is_recipe"] is False


async def test_a_provider_that_fails_is_answered_with_why(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    with model_server() as model:
        model.status, model.headers = 429, {"Retry-After": "3"}
        service = start(AI_PROVIDER="openai", AI_BASE_URL=model.url, AI_API_KEY="sk-pepper")
        reply = await reply_to(service, "Leek soup")
    assert (reply["error"]["code"], reply["error"]["retry_after"]) == ("rate_limited", 3.0)
    assert "rate_limited" in caplog.text
    assert "pepper" not in caplog.text


def test_the_queue_is_the_one_of_the_contract(start: Start) -> None:
    [queue] = start().app.contracts()
    assert (queue.name, queue.format, queue.type, queue.ttl) == ("recipe_analysis_request", "plain", "classic", 300)
    [queue] = start(AI_QUEUE_NAME="menus").app.contracts()
    assert queue.name == "menus"


def test_the_broker_is_the_one_that_is_named(start: Start) -> None:
    assert start(RABBITMQ_URL="amqp://cook:pepper@broker/").app.settings.broker_url == "amqp://cook:pepper@broker/"


async def test_mischief_is_said_and_done(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    service = start(AI_MISCHIEF="fail=1")
    async with testing(service.app) as herd:
        await service.analyse.send("Leek soup")
        await herd.drain()
        [job] = herd.jobs(service.analyse)
    assert job.state == "retrying"
    assert "AI_MISCHIEF let this job fail" in (job.error or "")
    assert "AI_MISCHIEF is on (fail=1)" in caplog.text


async def test_without_mischief_nothing_is_said_of_it(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    await reply_to(start(), "Leek soup")
    assert "provider 'offline'" in caplog.text
    assert "AI_MISCHIEF" not in caplog.text
