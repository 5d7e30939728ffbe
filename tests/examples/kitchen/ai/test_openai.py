"""The provider for OpenAI-compatible servers, against one that speaks the protocol on a real socket."""

import base64
import json
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.image_header import ImageHeader
from examples.kitchen.ai.openai import OpenAIProvider
from examples.kitchen.ai.pictures import Picture
from examples.kitchen.ai.recipe import Amount
from examples.kitchen.ai.settings import Settings
from tests.examples.kitchen.ai.model_server import ModelServer, model_server
from tests.examples.kitchen.ai.test_image_header import png

KEY = "sk-pepper"
SOUP: dict[str, Any] = {
    "is_recipe": True,
    "confidence": 0.8,
    "title": "Leek Soup",
    "ingredients": [{"text": "2 leeks", "item": "leeks", "amount": {"low": 2, "high": 2}}],
    "steps": [{"number": 1, "text": "Boil."}],
}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server() as running:
        running.says(json.dumps(SOUP))
        yield running


@pytest.fixture
async def provider(model: ModelServer) -> AsyncIterator[OpenAIProvider]:
    opened = OpenAIProvider(Settings(base_url=model.url, api_key=KEY, model="soup-1", timeout=10))
    yield opened
    await opened.close()


async def failure_of(provider: OpenAIProvider) -> CannotAnalyse:
    with pytest.raises(CannotAnalyse) as caught:
        await provider.read("Leek soup")
    return caught.value


async def test_the_model_is_asked_for_json_and_its_answer_is_typed(
    provider: OpenAIProvider, model: ModelServer
) -> None:
    found = await provider.read("Leek soup: boil 2 leeks.")
    assert (found.recipe.title, found.recipe.ingredients[0].amount) == ("Leek Soup", Amount(2, 2))
    assert (found.method, found.model) == ("language model", "soup-1")
    assert model.seen == [("/v1/chat/completions", f"Bearer {KEY}")]
    [asked] = model.asked
    assert (asked["model"], asked["response_format"]) == ("soup-1", {"type": "json_object"})
    assert [message["role"] for message in asked["messages"]] == ["system", "user"]
    assert asked["messages"][1]["content"] == "Leek soup: boil 2 leeks."
    assert '"is_recipe"' in asked["messages"][0]["content"]


async def test_a_picture_travels_inside_the_question(provider: OpenAIProvider, model: ModelServer) -> None:
    content = png(3, 2)
    await provider.read("my lunch", Picture(content, ImageHeader("image/png", 3, 2)))
    text, picture = model.asked[0]["messages"][1]["content"]
    assert text == {"type": "text", "text": "my lunch"}
    kind, _, encoded = picture["image_url"]["url"].partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(encoded) == content


async def test_json_in_a_fence_is_json_too(provider: OpenAIProvider, model: ModelServer) -> None:
    model.says(f"```json\n{json.dumps(SOUP)}\n```")
    assert (await provider.read("Leek soup")).recipe.title == "Leek Soup"


async def test_a_wrong_key_is_told_without_the_key(
    provider: OpenAIProvider, model: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    model.status, model.body = 401, json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}"}}).encode()
    failure = await failure_of(provider)
    assert failure.code == "wrong_key"
    assert "AI_API_KEY" in failure.message
    assert KEY not in f"{failure.message} {failure.__cause__} {caplog.text}"


@pytest.mark.parametrize(
    ("header", "expected"), [("7", 7.0), ("0.5", 0.5), (None, None), ("soon", None), ("-1", None), ("inf", None)]
)
async def test_a_rate_limit_tells_when_to_come_again(
    provider: OpenAIProvider, model: ModelServer, header: str | None, expected: float | None
) -> None:
    model.status, model.body = 429, b'{"error": {"message": "slow down"}}'
    model.headers = {} if header is None else {"Retry-After": header}
    failure = await failure_of(provider)
    assert (failure.code, failure.retry_after) == ("rate_limited", expected)
    assert failure.as_json().get("retry_after") == expected


async def test_what_the_server_says_is_passed_on_without_the_key(provider: OpenAIProvider, model: ModelServer) -> None:
    model.status, model.body = 400, json.dumps({"error": {"message": f"no model soup-1 for {KEY}"}}).encode()
    failure = await failure_of(provider)
    assert failure.code == "provider_failed"
    assert failure.message.endswith("answered 400: no model soup-1 for ***")


async def test_a_server_that_only_fails(provider: OpenAIProvider, model: ModelServer) -> None:
    model.status, model.body = 502, b"<html>Bad gateway</html>"
    assert (await failure_of(provider)).message.endswith("answered 502.")


@pytest.mark.parametrize(
    "content",
    [
        "Here is your recipe: boil 2 leeks.",
        "",
        None,
        "[]",
        "{}",
        '{"is_recipe": true, "confidence": 7, "ingredients": [], "steps": []}',
        '{"is_recipe": true, "confidence": 1, "ingredients": ["2 leeks"], "steps": []}',
    ],
)
async def test_an_answer_that_is_not_the_json_that_was_asked_for(
    provider: OpenAIProvider, model: ModelServer, content: str | None
) -> None:
    model.says(content)
    failure = await failure_of(provider)
    assert failure.code == "bad_answer"
    assert "not the JSON" in failure.message


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"choices": []}', b'{"choices": [{}]}', b"\xff"])
async def test_an_answer_that_is_no_chat_completion(provider: OpenAIProvider, model: ModelServer, body: bytes) -> None:
    model.body = body
    failure = await failure_of(provider)
    assert failure.code == "bad_answer"
    assert "AI_BASE_URL" in failure.message


async def test_a_model_that_refuses_or_is_cut_off(provider: OpenAIProvider, model: ModelServer) -> None:
    model.says(None, message={"refusal": "I would rather not."})
    assert "refused" in (await failure_of(provider)).message
    model.says('{"is_recipe": true, "confi', finish_reason="length")
    assert "cut off" in (await failure_of(provider)).message


async def test_a_model_that_does_not_answer_in_time(model: ModelServer) -> None:
    model.answering.clear()
    impatient = OpenAIProvider(Settings(base_url=model.url, timeout=0.2))
    failure = await failure_of(impatient)
    assert (failure.code, "within 0.2 s" in failure.message) == ("timed_out", True)
    await impatient.close()


async def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    lost = OpenAIProvider(Settings(base_url=f"http://127.0.0.1:{port}/v1", timeout=10))
    assert (await failure_of(lost)).code == "unreachable"
    await lost.close()


async def test_it_can_be_closed_twice_and_asked_again(provider: OpenAIProvider) -> None:
    await provider.read("Leek soup")
    await provider.close()
    await provider.close()
    assert (await provider.read("Leek soup")).recipe.is_recipe


async def test_a_server_without_a_key_is_asked_without_one(model: ModelServer) -> None:
    keyless = OpenAIProvider(Settings(base_url=model.url))
    await keyless.read("Leek soup")
    assert model.seen[0][1] is None
    await keyless.close()
