"""Providers on this machine, as they really are."""

import asyncio
import json
import re
from pathlib import Path

import pytest
import uvloop

from examples.dubbing.media.film import probe
from examples.dubbing.media.loudness import SPEECH, listen
from examples.dubbing.media.sound import extract_sound
from examples.dubbing.media.speaking_video import FARM
from examples.dubbing.providers.apertium import ApertiumTranslation
from examples.dubbing.providers.choosing import chosen
from examples.dubbing.providers.espeak import EspeakSpeaking
from examples.dubbing.providers.moonshine import MoonshineHearing
from examples.dubbing.providers.provider import Voice
from examples.dubbing.settings import read_settings
from examples.dubbing.troubles import Lasting, Passing

pytestmark = pytest.mark.servers("media")


def spoken(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


async def test_moonshine_hears_what_is_said_and_when(farm: Path, tmp_path: Path) -> None:
    await extract_sound(farm, tmp_path / "sound.wav")
    heard = await MoonshineHearing().hear(tmp_path / "sound.wav", "en")
    assert [spoken(one.text) for one in heard] == [spoken(line.text) for line in FARM]
    for one, line in zip(heard, FARM, strict=True):
        assert one.start == pytest.approx(line.start, abs=0.3)
        assert one.end > one.start + 1


async def test_moonshine_does_not_hear_other_languages(tmp_path: Path) -> None:
    with pytest.raises(Lasting, match="hears English, not 'es'"):
        await MoonshineHearing().hear(tmp_path / "sound.wav", "es")


async def test_apertium_translates_each_text_by_itself() -> None:
    texts = ["The goat drinks", "water. And more", "5$ for [x]\n\n{y} at 100%", "", "The river is cold."]
    translated = await ApertiumTranslation().translate(texts, "en", "es")
    assert len(translated) == 5
    assert "cabra" in translated[0]
    assert "gua" in translated[1]
    assert re.search(r"5\$ para \[x\] \{y\} (en|a) 100%", translated[2])
    assert translated[3] == ""
    assert translated[4].startswith("El río")


def test_apertium_translates_on_the_loop_of_workers() -> None:
    """There a pipe is a socket."""
    [translated] = uvloop.run(ApertiumTranslation().translate(["The goat."], "en", "es"))
    assert translated == "La cabra."


async def test_apertium_says_which_dictionaries_are_missing() -> None:
    with pytest.raises(Lasting, match="apt-get install apertium-eng-tlh"):
        await ApertiumTranslation().translate(["Hello."], "en", "tlh")


async def test_espeak_speaks(tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    await EspeakSpeaking().speak("Buenos días, cabras.", Voice("es"), out)
    assert (await probe(out)).duration > 1
    assert (await listen(out)).between(0, 1) > SPEECH
    with pytest.raises(Lasting, match="espeak-ng failed"):
        await EspeakSpeaking().speak("Hola.", Voice("es", "nobody-at-all"), out)


async def test_mischief_does_what_its_file_says_and_notes_what_was_asked(tmp_path: Path) -> None:
    file = tmp_path / "mischief"
    providers = chosen(read_settings({"DUBBING_MISCHIEF": str(file)}))
    assert await providers.translation.translate(["The goat."], "en", "es") == ["La cabra."]
    file.write_text("translation refuses goat\ntts holds never\ntts busy cabra\n")
    with pytest.raises(Lasting, match="translation refuses: 'goat'"):
        await providers.translation.translate(["The river.", "The goat."], "en", "es")
    with pytest.raises(Passing, match="tts busy"):
        await providers.speaking.speak("La cabra.", Voice("es"), tmp_path / "out.wav")
    asked = [json.loads(line) for line in file.with_suffix(".calls").read_text().splitlines()]
    assert [(one["provider"], one["texts"]) for one in asked] == [
        ("translation", ["The goat."]),
        ("translation", ["The river.", "The goat."]),
        ("tts", ["La cabra."]),
    ]


async def test_what_mischief_holds_up_goes_on_when_its_line_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "mischief"
    file.write_text("tts holds\n")
    providers = chosen(read_settings({"DUBBING_MISCHIEF": str(file)}))
    speaking = asyncio.create_task(providers.speaking.speak("Hola.", Voice("es"), tmp_path / "out.wav"))
    await asyncio.sleep(0.2)
    assert not speaking.done()
    file.write_text("")
    await asyncio.wait_for(speaking, 20)
    assert (tmp_path / "out.wav").exists()
