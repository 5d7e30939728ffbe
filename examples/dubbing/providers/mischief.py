"""Faults on purpose, for tests: a file, read anew for each text, says which are refused, busy or held up.

Each line is a provider, what it does, and words that must be in the text (none: every text):

    tts refuses puente          the text can never be spoken
    tts busy río                as if its server were busy
    tts holds                   it does not begin while this line is there
    translation refuses bridge

and every text that a provider was given is written to the file's neighbour `….calls`, one JSON line for each.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from examples.dubbing.providers.provider import Providers, Speaking, Translation, Voice
from examples.dubbing.troubles import Lasting, Passing

TROUBLES: Mapping[str, type[Exception]] = {"refuses": Lasting, "busy": Passing}
#: Seconds between two looks at whether something is still held up.
LOOK = 0.05


def mischievous(providers: Providers, file: Path) -> Providers:
    """The same, with the faults of a file."""
    translation = _Translation(providers.translation, Mischief(file, "translation"))
    return Providers(providers.hearing, translation, _Speaking(providers.speaking, Mischief(file, "tts")))


@dataclass(frozen=True)
class Mischief:
    """The faults of one provider."""

    file: Path
    provider: str

    async def suffer(self, texts: Sequence[str]) -> None:
        """Note what was asked for, and do what the file says about it."""
        with self.file.with_suffix(".calls").open("a") as calls:
            calls.write(json.dumps({"provider": self.provider, "texts": list(texts)}) + "\n")
        while (order := self._order_about(texts)) is not None:
            verb, words = order
            if verb in TROUBLES:
                raise TROUBLES[verb](f"{self.provider} {verb}: {words!r}")
            await asyncio.sleep(LOOK)

    def _order_about(self, texts: Sequence[str]) -> tuple[str, str] | None:
        return next(((verb, words) for verb, words in self._orders() if any(words in text for text in texts)), None)

    def _orders(self) -> list[tuple[str, str]]:
        if not self.file.exists():
            return []
        lines = [line.split(maxsplit=2) for line in self.file.read_text().splitlines() if line.strip()]
        return [(verb, " ".join(words)) for provider, verb, *words in lines if provider == self.provider]


@dataclass(frozen=True)
class _Translation:
    provider: Translation
    mischief: Mischief

    async def translate(self, texts: Sequence[str], source: str, target: str) -> Sequence[str]:
        await self.mischief.suffer(texts)
        return await self.provider.translate(texts, source, target)


@dataclass(frozen=True)
class _Speaking:
    provider: Speaking
    mischief: Mischief

    async def speak(self, text: str, voice: Voice, out: Path) -> None:
        await self.mischief.suffer([text])
        await self.provider.speak(text, voice, out)
