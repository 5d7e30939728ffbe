"""Answers by any server that speaks OpenAI's chat completions, as they are written."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import httpx2

from examples.chat.settings import Settings
from examples.chat.worker.providers import prompt
from examples.chat.worker.providers.completion import pieces
from examples.chat.worker.providers.provider import ProviderAway, Question
from goatherd import GiveUp, Retry

#: Answers of the server that may be others a moment later.
PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 529}


class OpenAIProvider:
    """Asks a language model, three times more if it cannot be reached."""

    name = "openai"

    def __init__(self, settings: Settings) -> None:
        self._base = settings.api_base.rstrip("/")
        self._model = settings.model
        self._retry = Retry(3, base=settings.api_retry_base, factor=2, max=30, jitter=0.25)
        key = settings.api_key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        # As many at once as the worker does jobs: it is the worker's concurrency that limits them.
        limits = httpx2.Limits(max_connections=None)
        self._client = httpx2.AsyncClient(headers=headers, timeout=settings.api_timeout, limits=limits)

    async def see(self, image_url: str, model: str | None = None) -> str:
        """What the model sees in the picture."""
        async with self._asked(prompt.about_picture(image_url), model) as response:
            return "".join([piece async for piece in pieces(response)])

    async def answer(self, question: Question) -> AsyncGenerator[str, None]:
        """What the model writes."""
        async with self._asked(prompt.about(question), question.model) as response:
            async for piece in pieces(response):
                yield piece

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._client.aclose()

    @asynccontextmanager
    async def _asked(self, messages: list[dict[str, Any]], model: str | None) -> AsyncIterator[httpx2.Response]:
        body = {"model": model or self._model, "messages": messages, "stream": True}
        response = await self._insist(body)
        try:
            yield response
        except httpx2.HTTPError as error:
            # Words that were read stand already, so this attempt cannot go on; the next one begins anew.
            raise ProviderAway(f"{self._base} broke off its answer ({type(error).__name__})") from error
        finally:
            await response.aclose()

    async def _insist(self, body: dict[str, Any]) -> httpx2.Response:
        """An answer that has begun."""
        for failures in count(1):
            try:
                return await self._ask(body)
            except ProviderAway:
                wait = self._retry.delay(failures)
                if wait is None:
                    raise
                await asyncio.sleep(wait)
        raise AssertionError("the count does not end")

    async def _ask(self, body: dict[str, Any]) -> httpx2.Response:
        request = self._client.build_request("POST", f"{self._base}/chat/completions", json=body)
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            raise ProviderAway(f"{self._base} cannot be reached ({type(error).__name__})") from error
        if response.is_success:
            return response
        try:
            told = (await response.aread())[:300].decode(errors="replace")
        except httpx2.HTTPError as error:
            raise ProviderAway(f"{self._base} broke off its refusal ({type(error).__name__})") from error
        finally:
            await response.aclose()
        refusal = f"{self._base} refused the question with {response.status_code}: {told}"
        raise ProviderAway(refusal) if response.status_code in PASSING else GiveUp(refusal)
