"""Answer one request: read it, fetch the picture, ask the provider, put the result together."""

from hashlib import sha256
from typing import Any, assert_never

import msgspec

from examples.kitchen.ai.offline import OfflineProvider
from examples.kitchen.ai.openai import OpenAIProvider
from examples.kitchen.ai.pictures import Pictures
from examples.kitchen.ai.provider import Findings, Provider
from examples.kitchen.ai.request import PictureRequest, TextRequest, read_request
from examples.kitchen.ai.settings import Settings


class Analyst:
    """Holds what is needed for all requests of a process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._provider = provider_of(settings)
        self._pictures = Pictures(settings)

    async def analyse(self, user_input: str) -> dict[str, Any]:
        """The result for a caller; raises CannotAnalyse."""
        match read_request(user_input, self._settings.max_text):
            case TextRequest(text=text):
                return self._result(await self._provider.read(text))
            case PictureRequest(url=url, description=description):
                picture = await self._pictures.fetch(url)
                found = await self._provider.read(description, picture)
                return self._result(found) | {"picture": picture.facts}
            case request:
                assert_never(request)

    async def close(self) -> None:
        """Let go of all connections."""
        await self._provider.close()

    def _result(self, found: Findings) -> dict[str, Any]:
        about = {"provider": self._provider.name, "method": found.method, "note": found.note, "model": found.model}
        recipe: dict[str, Any] = msgspec.to_builtins(found.recipe)
        return about | recipe


def provider_of(settings: Settings) -> Provider:
    """The provider that the settings name."""
    match settings.provider:
        case "offline":
            return OfflineProvider()
        case "openai":
            return OpenAIProvider(settings)


def fingerprint(user_input: str) -> str:
    """What a caller compares to be sure that a reply is for its own request."""
    return sha256(user_input.encode("utf-8", "surrogatepass")).hexdigest()
