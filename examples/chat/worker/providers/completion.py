"""Read a chat completion that comes in chunks."""

from collections.abc import AsyncIterator

import httpx2
import msgspec

from examples.chat.worker.providers.provider import ProviderAway


class _Delta(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    delta: _Delta = msgspec.field(default_factory=_Delta)
    finish_reason: str | None = None


class _Chunk(msgspec.Struct):
    choices: list[_Choice] = []
    error: msgspec.Raw | None = None


async def pieces(response: httpx2.Response) -> AsyncIterator[str]:
    """The words as they come; raises ProviderAway if they end before the answer does."""
    finished = False
    async for line in response.aiter_lines():
        if not line.startswith("data:"):
            continue
        written = line.removeprefix("data:").strip()
        if written == "[DONE]":
            return
        chunk = _read(written)
        for choice in chunk.choices[:1]:
            finished = finished or choice.finish_reason is not None
            if choice.delta.content:
                yield choice.delta.content
    if not finished:
        raise ProviderAway("the language model broke off in the middle of its answer")


def _read(written: str) -> _Chunk:
    try:
        chunk = msgspec.json.decode(written, type=_Chunk)
    except msgspec.DecodeError as error:
        raise ProviderAway(f"the language model wrote something that is not a chunk: {written[:200]}") from error
    if chunk.error is not None:
        raise ProviderAway(f"the language model failed: {bytes(chunk.error)[:300].decode(errors='replace')}")
    return chunk
