"""Providers that do at once what a test tells them, and note what they were asked."""

import wave
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from examples.dubbing.providers.provider import Heard, Voice


@dataclass
class Cast:
    """Hears these lines, shouts instead of translating, and speaks a tenth of a second of nothing."""

    lines: Sequence[str]
    #: Words that cannot be translated, or spoken, and what is raised then; one that is raised is told once.
    refuses: dict[str, list[Exception]] = field(default_factory=dict)
    translated: list[list[str]] = field(default_factory=list)
    spoken: list[str] = field(default_factory=list)

    async def hear(self, sound: Path, language: str) -> Sequence[Heard]:
        return [Heard(number / 2, number / 2 + 0.4, line) for number, line in enumerate(self.lines)]

    async def translate(self, texts: Sequence[str], source: str, target: str) -> Sequence[str]:
        self.translated.append(list(texts))
        self._refuse(texts)
        return [text.upper() for text in texts]

    async def speak(self, text: str, voice: Voice, out: Path) -> None:
        self.spoken.append(text)
        self._refuse([text])
        with wave.open(str(out), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(16_000)
            file.writeframes(bytes(3200))

    def _refuse(self, texts: Sequence[str]) -> None:
        for word, errors in self.refuses.items():
            if errors and any(word in text for text in texts):
                raise errors.pop(0)
