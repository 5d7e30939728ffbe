"""A provider behind any server that speaks OpenAI's chat completions."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from examples.kitchen.ai import prompt
from examples.kitchen.ai.completion import read_answer
from examples.kitchen.ai.errors import CannotAnalyse
from examples.kitchen.ai.pictures import Picture
from examples.kitchen.ai.provider import Findings
from examples.kitchen.ai.refusals import refusal
from examples.kitchen.ai.settings import Settings

_NOTE = "Found by a language model, which may err or make things up; the confidence is its own estimate."


class OpenAIProvider:
    """Asks a language model for the recipe as JSON."""

    name = "openai"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._client: httpx2.AsyncClient | None = None

    async def read(self, text: str, picture: Picture | None = None) -> Findings:
        """What the model finds; raises CannotAnalyse."""
        if self._client is None:
            self._client = self._connect()
        async with self._telling_errors():
            response = await self._client.post("chat/completions", json=self._question(text, picture))
        if not response.is_success:
            raise refusal(response, self._settings)
        answer = read_answer(response.content)
        return Findings(recipe=answer, method="language model", note=_NOTE, model=self._settings.model)

    async def close(self) -> None:
        """Close the connections to the server; another question opens them anew."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    def _connect(self) -> httpx2.AsyncClient:
        key = self._settings.api_key
        return httpx2.AsyncClient(
            base_url=self._settings.base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=self._settings.timeout,
        )

    def _question(self, text: str, picture: Picture | None) -> dict[str, object]:
        return {
            "model": self._settings.model,
            "response_format": {"type": "json_object"},
            "messages": [
                {"role": "system", "content": prompt.SYSTEM},
                {"role": "user", "content": text if picture is None else _with_picture(text, picture)},
            ],
        }

    @asynccontextmanager
    async def _telling_errors(self) -> AsyncIterator[None]:
        """Every failure of the connection as one that a caller understands."""
        limit, url = self._settings.timeout, self._settings.base_url
        try:
            async with asyncio.timeout(limit):
                yield
        except (TimeoutError, httpx2.TimeoutException) as error:
            text = f"The language model at {url} did not answer within {limit:g} s; try again, or raise AI_TIMEOUT."
            raise CannotAnalyse("timed_out", text) from error
        except httpx2.HTTPError as error:
            text = f"The language model at {url} cannot be reached ({type(error).__name__}); look at AI_BASE_URL."
            raise CannotAnalyse("unreachable", text) from error


def _with_picture(text: str, picture: Picture) -> list[dict[str, object]]:
    """The picture travels inside the question, so that its storage needs not be open to the model's server."""
    encoded = base64.b64encode(picture.content).decode("ascii")
    url = f"data:{picture.header.media_type};base64,{encoded}"
    return [
        {"type": "text", "text": text or "What recipe is in this picture?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
