"""eSpeak NG: speaks a hundred languages, offline; one hears that it is a machine."""

from pathlib import Path

from examples.dubbing.media.programs import run_program
from examples.dubbing.providers.provider import Voice


class EspeakSpeaking:
    """A speaker is the name of one of its voices, as in `es-419` or `es+f3`."""

    async def speak(self, text: str, voice: Voice, out: Path) -> None:
        """Write it down as a WAV file; raises Lasting."""
        name = voice.speaker or voice.language
        await run_program(["espeak-ng", "-v", name, "-w", str(out), "--stdin"], text.encode())
