"""The provider for OpenAI-compatible servers, against one that speaks the protocol on a real socket."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from examples.chat.settings import Settings
from examples.chat.worker.documents import Passage
from examples.chat.worker.providers.openai import OpenAIProvider
from examples.chat.worker.providers.provider import ProviderAway, Question
from goatherd import GiveUp
from scripts.servers.ports import free_ports
from tests.examples.kitchen.ai.model_server import ModelServer, model_server

GOATS = Passage(source="goats.md", title="Goats", text="They climb.")
HELLO = Question(message="Do goats climb?", passages=[GOATS], location={"latitude": 1.5}, model="goat-2")


def said(*pieces: str | None, end: str = "data: [DONE]\n\n") -> bytes:
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    return (": hello\n\n" + "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end).encode()


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with model_server() as running:
        running.body = said(None, "They ", "climb.")
        yield running


@pytest.fixture
def settings(model: ModelServer) -> Settings:
    return Settings(api_base=model.url, api_key="sk-pepper", api_timeout=10, api_retry_base=0.001)


@pytest.fixture
async def provider(settings: Settings) -> AsyncIterator[OpenAIProvider]:
    opened = OpenAIProvider(settings)
    yield opened
    await opened.close()


async def answer_of(provider: OpenAIProvider) -> list[str]:
    return [piece async for piece in provider.answer(HELLO)]


async def test_the_pieces_come_as_the_model_writes_them(provider: OpenAIProvider, model: ModelServer) -> None:
    assert await answer_of(provider) == ["They ", "climb."]
    assert model.seen == [("/v1/chat/completions", "Bearer sk-pepper")]
    [asked] = model.asked
    assert (asked["model"], asked["stream"]) == ("goat-2", True)
    system, user = asked["messages"]
    assert user == {"role": "user", "content": "Do goats climb?"}
    assert all(part in system["content"] for part in ("Goats", "goats.md", "They climb.", "1.5"))


async def test_a_picture_is_described(provider: OpenAIProvider, model: ModelServer) -> None:
    assert await provider.see("https://example.com/goat.png") == "They climb."
    [asked] = model.asked
    assert asked["model"] == "gpt-4o-mini"
    assert asked["messages"][0]["content"][1]["image_url"] == {"url": "https://example.com/goat.png"}


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_refusal_that_may_pass_is_tried_three_times_more(
    provider: OpenAIProvider, model: ModelServer, status: int
) -> None:
    model.status, model.body = status, b'{"error": "too much"}'
    with pytest.raises(ProviderAway, match=f"refused the question with {status}: .*too much"):
        await answer_of(provider)
    assert len(model.asked) == 4


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_refusal_that_will_not_pass_is_final(provider: OpenAIProvider, model: ModelServer, status: int) -> None:
    model.status, model.body = status, b'{"error": "wrong key"}'
    with pytest.raises(GiveUp, match="wrong key"):
        await answer_of(provider)
    assert len(model.asked) == 1


async def test_a_server_that_is_not_there(settings: Settings) -> None:
    [port] = free_ports(1)
    provider = OpenAIProvider(replace(settings, api_base=f"http://127.0.0.1:{port}/v1"))
    with pytest.raises(ProviderAway, match="cannot be reached"):
        await answer_of(provider)
    await provider.close()


@pytest.mark.parametrize(
    "body",
    [
        said("They ", end=""),
        said("They ", end="data: {nonsense\n\n"),
        said("They ", end='data: {"error": {"message": "overloaded"}}\n\n'),
        said("They ", end="data: [1]\n\n"),
    ],
)
async def test_an_answer_that_breaks_off_is_not_taken_for_a_whole_one(
    provider: OpenAIProvider, model: ModelServer, body: bytes
) -> None:
    model.body = body
    answer = provider.answer(HELLO)
    pieces = [await anext(answer)]
    with pytest.raises(ProviderAway):
        await anext(answer)
    # What was read cannot be taken back, so it is not asked again within the attempt.
    assert (pieces, len(model.asked)) == (["They "], 1)


async def test_an_answer_may_end_without_the_last_word_if_it_says_that_it_is_finished(
    provider: OpenAIProvider, model: ModelServer
) -> None:
    model.body = said("They ", end='data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n')
    assert await answer_of(provider) == ["They "]


async def test_the_waits_are_those_of_the_contract() -> None:
    provider = OpenAIProvider(Settings())
    rule = provider._retry
    assert (rule.retries, rule.base, rule.factor, rule.max, rule.jitter) == (3, 1.0, 2.0, 30.0, 0.25)
    await provider.close()
