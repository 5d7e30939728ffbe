"""OpenAI's own client reads our streams: through outages and attempts that fail."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from openai import APIConnectionError, APIError, AsyncOpenAI, AsyncStream, NotFoundError, PermissionDeniedError
from openai.types.chat import ChatCompletionChunk

from scripts.servers.proxy import Proxy
from tests.browser.scribe import PIECES, Scribe, numbered, opened_events
from tests.browser.services import Gateway, token_for

pytestmark = pytest.mark.xdist_group("openai")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("gateway")
    with Gateway(folder, f"sqlite:///{folder}/events.db") as started:
        yield started


@pytest.fixture
async def scribe(gateway: Gateway) -> AsyncIterator[Scribe]:
    async with opened_events(gateway.events_url, "tales") as events:
        scribe = Scribe(events)
        await scribe.queue()
        yield scribe


@pytest.fixture
async def client(gateway: Gateway, scribe: Scribe) -> AsyncIterator[AsyncOpenAI]:
    async with client_at(gateway.port, scribe) as client:
        yield client


def client_at(port: int, scribe: Scribe) -> AsyncOpenAI:
    """A client whose key is the stream token."""
    address = f"http://127.0.0.1:{port}/api/v1/tales"
    return AsyncOpenAI(base_url=address, api_key=token_for(scribe.job_id), max_retries=0, timeout=30)


async def completion(client: AsyncOpenAI, scribe: Scribe, **query: str) -> AsyncStream[ChatCompletionChunk]:
    return await client.get(
        f"/{scribe.job_id}/events",
        cast_to=ChatCompletionChunk,
        stream=True,
        stream_cls=AsyncStream[ChatCompletionChunk],
        options={"params": {"format": "openai", **query}},
    )


class Answer:
    """What a program makes of a stream."""

    def __init__(self, stream: AsyncStream[ChatCompletionChunk]) -> None:
        self._stream = stream
        self.chunks: list[ChatCompletionChunk] = []

    @property
    def text(self) -> str:
        return "".join(chunk.choices[0].delta.content or "" for chunk in self.chunks)

    async def reaches(self, text: str) -> "Answer":
        """Read until the text is this one."""
        while self.text != text:
            self.chunks.append(await anext(self._stream))
        return self

    async def ends(self) -> "Answer":
        """Read to the end."""
        async for chunk in self._stream:
            self.chunks.append(chunk)
        return self


async def test_an_answer_from_its_beginning_to_its_end(client: AsyncOpenAI, scribe: Scribe) -> None:
    answer = Answer(await completion(client, scribe, model="goat-1"))
    await scribe.start()
    await scribe.progress("intent", 10)
    await scribe.say(*numbered(PIECES))
    await answer.reaches(scribe.text)
    await scribe.say("The end.")
    await scribe.finish()
    await answer.ends()
    assert answer.text == scribe.text
    first, *_, last = answer.chunks
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", "")
    assert [chunk.choices[0].finish_reason for chunk in answer.chunks if chunk is not last] == [None] * (
        len(answer.chunks) - 1
    )
    assert last.choices[0].finish_reason == "stop"
    assert {(chunk.id, chunk.object, chunk.model) for chunk in answer.chunks} == {
        (scribe.job_id, "chat.completion.chunk", "goat-1")
    }


async def test_silence_is_no_chunk(gateway: Gateway, client: AsyncOpenAI, scribe: Scribe) -> None:
    """The client takes a comment with an empty line after it for an event, and would fail at it."""
    await scribe.start()
    await scribe.say("Hello")
    answer = await Answer(await completion(client, scribe)).reaches("Hello")
    # Somebody who came later has had two signs of life, so the client has had one at least.
    await _hear_signs_of_life(gateway, scribe, 2)
    await scribe.say(" World")
    await scribe.finish()
    await answer.ends()
    assert answer.text == "Hello World"


async def _hear_signs_of_life(gateway: Gateway, scribe: Scribe, count: int) -> None:
    address = f"{gateway.origin}/api/v1/tales/{scribe.job_id}/events?format=openai&token={token_for(scribe.job_id)}"
    async with httpx2.AsyncClient(timeout=30) as client, client.stream("GET", address) as response:
        async for line in response.aiter_lines():
            count -= line == ":"
            if not count:
                return
    pytest.fail("the stream ended before there was a sign of life")


async def test_one_who_comes_in_the_middle_or_afterwards_gets_the_whole_text(
    client: AsyncOpenAI, scribe: Scribe
) -> None:
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    answer = await Answer(await completion(client, scribe)).reaches(scribe.text)
    assert len(answer.chunks) == 2
    await scribe.finish()
    await answer.ends()
    late = await Answer(await completion(client, scribe)).ends()
    assert late.text == answer.text == scribe.text


async def test_a_connection_that_is_cut_is_an_error_and_the_next_one_has_the_whole_text(
    gateway: Gateway, scribe: Scribe
) -> None:
    await scribe.start()
    await scribe.say(*numbered(PIECES))
    async with Proxy(gateway.port) as network, client_at(network.port, scribe) as client:
        answer = await Answer(await completion(client, scribe)).reaches(scribe.text)
        network.cut()
        with pytest.raises(APIConnectionError):
            await answer.ends()
        await scribe.say("The end.")
        await scribe.finish()
        again = await Answer(await completion(client, scribe)).ends()
    assert again.text == scribe.text


async def test_a_text_that_is_void_is_an_error_and_the_next_one_is_the_right_one(
    client: AsyncOpenAI, scribe: Scribe
) -> None:
    await scribe.start()
    await scribe.say("The first attempt")
    answer = await Answer(await completion(client, scribe)).reaches(scribe.text)
    await scribe.retry()
    with pytest.raises(APIError, match="the text so far is void") as told:
        await answer.ends()
    assert told.value.code == "text_void"
    # Who asks before the next attempt begins waits for it, without the text that is void.
    again = Answer(await completion(client, scribe))
    await scribe.start()
    await scribe.say("The second one.")
    await scribe.finish()
    await again.ends()
    assert again.text == scribe.text == "The second one."


async def test_a_failure_is_an_error(client: AsyncOpenAI, scribe: Scribe) -> None:
    await scribe.start()
    answer = Answer(await completion(client, scribe))
    await scribe.fail()
    with pytest.raises(APIError, match="no goats") as told:
        await answer.ends()
    assert told.value.code == "job_failed"


async def test_what_may_not_be_read_or_is_not_there_has_its_status(
    gateway: Gateway, client: AsyncOpenAI, scribe: Scribe
) -> None:
    async with opened_events(gateway.events_url, "tales") as events:
        other = Scribe(events)
        with pytest.raises(PermissionDeniedError):
            await completion(client, other)
        async with client_at(gateway.port, other) as allowed:
            with pytest.raises(NotFoundError):
                await completion(allowed, other)
