"""What the steps need from whoever hears, translates and speaks.

Many calls may run at once on one event loop, and one that is cancelled leaves nothing running. All raise `Passing` for
what is worth another try, `Lasting` for what is not.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Heard:
    """Words, and the seconds between which they are said."""

    start: float
    end: float
    text: str


@dataclass(frozen=True)
class Voice:
    """How a text is to be spoken."""

    #: As in `es`.
    language: str
    #: A name that the provider knows; empty is its usual voice for the language.
    speaker: str = ""


class Hearing(Protocol):
    """Speech to text."""

    async def hear(self, sound: Path, language: str) -> Sequence[Heard]:
        """What is said in a sound of 16 kHz mono, in the order of time."""


class Translation(Protocol):
    """From one language to another."""

    async def translate(self, texts: Sequence[str], source: str, target: str) -> Sequence[str]:
        """One for each text, in their order."""


class Speaking(Protocol):
    """Text to speech."""

    async def speak(self, text: str, voice: Voice, out: Path) -> None:
        """Write it down as a WAV file."""


@dataclass(frozen=True)
class Providers:
    """One of each."""

    hearing: Hearing
    translation: Translation
    speaking: Speaking
