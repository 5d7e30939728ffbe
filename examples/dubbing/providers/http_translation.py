"""A server that speaks as LibreTranslate does."""

from collections.abc import Sequence

import msgspec

from examples.dubbing.providers.server import Server
from examples.dubbing.troubles import Lasting


class _Answer(msgspec.Struct, rename="camel"):
    translated_text: list[str]


class HttpTranslation:
    """`POST /translate`."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def translate(self, texts: Sequence[str], source: str, target: str) -> Sequence[str]:
        """One for each text; raises Passing or Lasting."""
        asked = {"q": list(texts), "source": source, "target": target, "format": "text"}
        if self._server.key:
            asked["api_key"] = self._server.key
        response = await self._server.post("translate", json=asked)
        try:
            answer = msgspec.json.decode(response.content, type=_Answer).translated_text
        except msgspec.DecodeError as error:
            raise Lasting(f"{self._server.setting}: this is no translation ({error})") from error
        if len(answer) != len(texts):
            raise Lasting(f"{self._server.setting}: {len(answer)} translations came for {len(texts)} texts")
        return answer
