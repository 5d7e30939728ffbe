"""Which of them it is."""

from pathlib import Path

from examples.dubbing.providers.apertium import ApertiumTranslation
from examples.dubbing.providers.espeak import EspeakSpeaking
from examples.dubbing.providers.http_hearing import HttpHearing
from examples.dubbing.providers.http_speaking import HttpSpeaking
from examples.dubbing.providers.http_translation import HttpTranslation
from examples.dubbing.providers.mischief import mischievous
from examples.dubbing.providers.moonshine import MoonshineHearing
from examples.dubbing.providers.provider import Hearing, Providers, Speaking, Translation
from examples.dubbing.providers.server import Server
from examples.dubbing.settings import Settings


def chosen(settings: Settings) -> Providers:
    """As the settings say."""
    providers = Providers(_hearing(settings), _translation(settings), _speaking(settings))
    return mischievous(providers, Path(settings.mischief)) if settings.mischief else providers


def _hearing(settings: Settings) -> Hearing:
    if settings.asr == "moonshine":
        return MoonshineHearing()
    server = Server("DUBBING_ASR_URL", settings.asr_url, settings.asr_key, settings.http_timeout)
    return HttpHearing(server, settings.asr_model)


def _translation(settings: Settings) -> Translation:
    if settings.translation == "apertium":
        return ApertiumTranslation()
    url, key = settings.translation_url, settings.translation_key
    return HttpTranslation(Server("DUBBING_TRANSLATION_URL", url, key, settings.http_timeout))


def _speaking(settings: Settings) -> Speaking:
    if settings.tts == "espeak":
        return EspeakSpeaking()
    server = Server("DUBBING_TTS_URL", settings.tts_url, settings.tts_key, settings.http_timeout)
    return HttpSpeaking(server, settings.tts_model, settings.tts_voice)
