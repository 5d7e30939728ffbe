"""A server that speaks OpenAI's audio transcriptions."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from examples.dubbing.providers.moonshine import worth_hearing
from examples.dubbing.providers.provider import Heard
from examples.dubbing.providers.server import Server
from examples.dubbing.troubles import Lasting


class _Transcript(msgspec.Struct):
    segments: list[Heard]


class HttpHearing:
    """`POST /audio/transcriptions`."""

    def __init__(self, server: Server, model: str) -> None:
        self._server = server
        self._model = model

    async def hear(self, sound: Path, language: str) -> Sequence[Heard]:
        """What the server hears; raises Passing or Lasting."""
        asked = {"model": self._model, "language": language, "response_format": "verbose_json"}
        asked["timestamp_granularities[]"] = "segment"
        file = {"file": (sound.name, await asyncio.to_thread(sound.read_bytes), "audio/wav")}
        response = await self._server.post("audio/transcriptions", data=asked, files=file)
        try:
            found = msgspec.json.decode(response.content, type=_Transcript)
        except msgspec.DecodeError as error:
            raise Lasting(f"{self._server.setting}: this is no transcript with time stamps ({error})") from error
        return worth_hearing(found.segments)
