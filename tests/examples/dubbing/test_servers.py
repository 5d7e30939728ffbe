"""Providers behind servers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.dubbing.providers.choosing import chosen
from examples.dubbing.providers.http_hearing import HttpHearing
from examples.dubbing.providers.http_speaking import HttpSpeaking
from examples.dubbing.providers.http_translation import HttpTranslation
from examples.dubbing.providers.provider import Heard, Providers, Voice
from examples.dubbing.settings import read_settings
from examples.dubbing.troubles import Lasting, Passing
from tests.examples.dubbing.talking_server import TalkingServer, talking_server


@pytest.fixture
def server() -> Iterator[TalkingServer]:
    with talking_server() as talking:
        yield talking


@pytest.fixture
def providers(server: TalkingServer) -> Providers:
    made = {f"DUBBING_{kind}": "http" for kind in ("ASR", "TRANSLATION", "TTS")}
    made |= {f"{name}_URL": server.url for name in list(made)} | {f"{name}_KEY": "pepper" for name in list(made)}
    return chosen(read_settings({**made, "DUBBING_HTTP_TIMEOUT": "20"}))


async def test_a_server_hears(server: TalkingServer, providers: Providers, tmp_path: Path) -> None:
    sound = tmp_path / "sound.wav"
    sound.write_bytes(b"RIFF sound")
    lines = [{"id": 0, "start": 0.5, "end": 2.5, "text": " Hello."}, {"id": 1, "start": 3, "end": 3.1, "text": "You"}]
    server.says({"text": "Hello.", "segments": lines})
    assert isinstance(providers.hearing, HttpHearing)
    # The second one is too short to be speech.
    assert await providers.hearing.hear(sound, "en") == [Heard(0.5, 2.5, " Hello.")]
    [(path, key, body)] = server.asked
    assert (path, key) == ("/v1/audio/transcriptions", "Bearer pepper")
    for told in (b"RIFF sound", b"verbose_json", b"whisper-1", b'name="language"\r\n\r\nen'):
        assert told in body


async def test_a_server_translates(server: TalkingServer, providers: Providers) -> None:
    server.says({"translatedText": ["Hola.", "Adiós."]})
    assert isinstance(providers.translation, HttpTranslation)
    assert await providers.translation.translate(["Hello.", "Bye."], "en", "es") == ["Hola.", "Adiós."]
    [(path, _key, body)] = server.asked
    assert path == "/v1/translate"
    asked = {"q": ["Hello.", "Bye."], "source": "en", "target": "es", "format": "text", "api_key": "pepper"}
    assert json.loads(body) == asked


async def test_a_server_speaks(server: TalkingServer, providers: Providers, tmp_path: Path) -> None:
    server.body = b"RIFF speech"
    assert isinstance(providers.speaking, HttpSpeaking)
    await providers.speaking.speak("Hola.", Voice("es", "nova"), tmp_path / "out.wav")
    await providers.speaking.speak("Hola.", Voice("es"), tmp_path / "out.wav")
    assert (tmp_path / "out.wav").read_bytes() == b"RIFF speech"
    asked = [json.loads(body) for _path, _key, body in server.asked]
    assert [one["voice"] for one in asked] == ["nova", "alloy"]
    assert asked[0]["input"] == "Hola."


@pytest.mark.parametrize(("status", "kind"), [(429, Passing), (503, Passing), (500, Passing), (400, Lasting)])
async def test_a_busy_server_is_asked_again_a_refusal_stands(
    server: TalkingServer, providers: Providers, status: int, kind: type[Exception]
) -> None:
    server.status, server.body = status, b"not now"
    with pytest.raises(kind, match=rf"DUBBING_TRANSLATION_URL: translate was answered with {status}: not now"):
        await providers.translation.translate(["Hello."], "en", "es")


@pytest.mark.parametrize(
    ("answer", "told"),
    [({"translatedText": ["one", "two"]}, "2 translations came for 1"), ({"error": "no"}, "no translation")],
)
async def test_an_answer_that_is_none_stands(
    server: TalkingServer, providers: Providers, answer: object, told: str
) -> None:
    server.says(answer)
    with pytest.raises(Lasting, match=told):
        await providers.translation.translate(["Hello."], "en", "es")


async def test_a_server_that_is_away_or_silent_may_come_back(server: TalkingServer) -> None:
    away = {"DUBBING_TRANSLATION": "http", "DUBBING_TRANSLATION_URL": "http://127.0.0.1:1"}
    with pytest.raises(Passing, match="cannot be reached"):
        await chosen(read_settings(away)).translation.translate(["Hello."], "en", "es")
    server.answering.clear()
    silent = {**away, "DUBBING_TRANSLATION_URL": server.url, "DUBBING_HTTP_TIMEOUT": "0.1"}
    with pytest.raises(Passing, match=r"within 0\.1 s"):
        await chosen(read_settings(silent)).translation.translate(["Hello."], "en", "es")
    server.answering.set()


async def test_what_is_no_transcript_and_no_speech_stands(
    server: TalkingServer, providers: Providers, tmp_path: Path
) -> None:
    server.says({"text": "no time stamps"})
    sound = tmp_path / "sound.wav"
    sound.write_bytes(b"RIFF")
    with pytest.raises(Lasting, match="no transcript with time stamps"):
        await providers.hearing.hear(sound, "en")
    with pytest.raises(Lasting, match="no WAV file"):
        await providers.speaking.speak("Hola.", Voice("es"), sound)
