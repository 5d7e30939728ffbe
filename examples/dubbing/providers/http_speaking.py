"""A server that speaks OpenAI's audio speech."""

import asyncio
from pathlib import Path

from examples.dubbing.providers.provider import Voice
from examples.dubbing.providers.server import Server
from examples.dubbing.troubles import Lasting


class HttpSpeaking:
    """`POST /audio/speech`."""

    def __init__(self, server: Server, model: str, usual_voice: str) -> None:
        self._server = server
        self._model = model
        self._usual_voice = usual_voice

    async def speak(self, text: str, voice: Voice, out: Path) -> None:
        """Write down what the server says, as a WAV file; raises Passing or Lasting."""
        speaker = voice.speaker or self._usual_voice
        asked = {"model": self._model, "input": text, "voice": speaker, "response_format": "wav"}
        sound = (await self._server.post("audio/speech", json=asked)).content
        if not sound.startswith(b"RIFF"):
            raise Lasting(f"{self._server.setting}: what came is no WAV file")
        await asyncio.to_thread(out.write_bytes, sound)
