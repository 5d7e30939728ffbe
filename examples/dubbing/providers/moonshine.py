"""Moonshine: hears English, offline, with a small model that comes in its package.

It is run as a program of its own (`python -m examples.dubbing.providers.moonshine SOUND`), so that it can be ended when
its time is over, and its memory goes with it.
"""

import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from examples.dubbing.media.programs import run_program
from examples.dubbing.providers.provider import Heard
from examples.dubbing.troubles import Lasting

PACKAGE = "moonshine_voice"
#: Shorter lines, in seconds, are noise that was taken for a word.
SHORTEST = 0.3


class MoonshineHearing:
    """English only."""

    async def hear(self, sound: Path, language: str) -> Sequence[Heard]:
        """What is said; raises Lasting, as for a language that the model does not know."""
        if language != "en":
            raise Lasting(f"Moonshine's model here hears English, not {language!r}; choose DUBBING_ASR=http")
        if importlib.util.find_spec(PACKAGE) is None:
            raise Lasting("moonshine-voice is not installed: pip install moonshine-voice==0.0.73, or DUBBING_ASR=http")
        written = await run_program([sys.executable, "-m", __name__, str(sound)])
        return worth_hearing(msgspec.json.decode(written, type=list[Heard]))


def worth_hearing(lines: Sequence[Heard]) -> list[Heard]:
    """Those that are speech."""
    return [one for one in lines if one.end - one.start >= SHORTEST and one.text.strip()]


def main(path: str) -> None:
    """Write down what is said in a sound."""
    # Not installed everywhere, and slow to import.
    from moonshine_voice.moonshine_api import ModelArch  # type: ignore[import-untyped]
    from moonshine_voice.transcriber import Transcriber  # type: ignore[import-untyped]
    from moonshine_voice.utils import get_model_path, load_wav_file  # type: ignore[import-untyped]

    samples, rate = load_wav_file(path)
    with Transcriber(get_model_path("tiny-en"), ModelArch.TINY) as transcriber:
        lines = transcriber.transcribe_without_streaming(samples, rate).lines
    print(json.dumps([_heard(line.start_time, line.duration, line.text) for line in lines]))


def _heard(start: float, duration: float, text: str) -> dict[str, object]:
    return {"start": round(start, 3), "end": round(start + duration, 3), "text": text}


if __name__ == "__main__":
    main(sys.argv[1])
