"""Apertium: translates by rules and dictionaries, offline."""

from collections.abc import Mapping, Sequence

from examples.dubbing.media.programs import ProgramFailed, run_program
from examples.dubbing.troubles import Lasting

#: Languages have three letters there.
LANGUAGES: Mapping[str, str] = {"en": "eng", "es": "spa", "ca": "cat", "gl": "glg", "eo": "epo"}
#: Sentences end at an empty line, so that no words are carried over into another text.
BETWEEN = "\n\n"


class ApertiumTranslation:
    """All texts in one go, since the program takes longer to start than to translate."""

    async def translate(self, texts: Sequence[str], source: str, target: str) -> Sequence[str]:
        """One for each text; raises Lasting."""
        plain = [" ".join(text.split()) for text in texts]
        translated = (await self._ask(BETWEEN.join(plain), source, target)).split(BETWEEN)
        if len(translated) != len(plain):
            # Nobody knows any more which is which; one at a time there is no doubt.
            translated = [await self._ask(text, source, target) for text in plain]
        return [_checked(text, before) for text, before in zip(translated, plain, strict=True)]

    async def _ask(self, text: str, source: str, target: str) -> str:
        # -u: words that it does not know stay as they are, without a mark.
        direction = f"{LANGUAGES.get(source, source)}-{LANGUAGES.get(target, target)}"
        try:
            written = await run_program(["apertium", "-u", direction], text.encode())
        except ProgramFailed as error:
            told = f"Apertium cannot translate {direction}; on Debian: sudo apt-get install apertium-{direction}"
            raise Lasting(f"{told} ({error})") from error
        return written.decode()


def _checked(translated: str, text: str) -> str:
    if text and not translated.strip():
        raise Lasting(f"Apertium made nothing of {text!r}")
    return " ".join(translated.split())
