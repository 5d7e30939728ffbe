"""Settings of Dubbing: every one has its variable, and all mistakes are told at once."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

import examples.dubbing
from examples.dubbing.settings import Settings, read_settings
from goatherd.errors import SettingsError

CONTRACT = {
    "TRANSLATE_BATCH_SIZE", "TRANSLATE_ITEM_MAX_RETRIES", "TRANSLATE_MAX_TEXT_LENGTH", "TTS_BATCH_SIZE",
    "TTS_MAX_CONCURRENCY", "TTS_MAX_RETRIES", "TTS_RETRY_DELAY_SECONDS", "TIMEOUT_EXTRACT_AUDIO_SECONDS",
    "TIMEOUT_ASR_SECONDS", "TIMEOUT_TTS_SECONDS", "TIMEOUT_MUX_SECONDS",
}  # fmt: skip


def test_all_settings_of_the_contract_are_there_and_all_are_written_down() -> None:
    variables = {setting.metadata["variable"] for setting in fields(Settings)}
    assert variables >= CONTRACT
    readme = (Path(examples.dubbing.__file__).parent / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`([A-Z][A-Z0-9]+_[A-Z_0-9]+)`", readme)) >= variables


def test_what_is_set_holds_and_what_is_empty_does_not() -> None:
    given = read_settings({"TTS_MAX_CONCURRENCY": "7", "TIMEOUT_ASR_SECONDS": "1.5", "TTS_MAX_RETRIES": " "})
    assert (given.tts_max_concurrency, given.timeout_asr, given.tts_max_retries) == (7, 1.5, 3)


def test_every_mistake_is_told_and_no_secret() -> None:
    wrong = {
        "TRANSLATE_BATCH_SIZE": "0",
        "TIMEOUT_MUX_SECONDS": "soon",
        "DUBBING_TTS": "parrot",
        "DUBBING_TTS_URL": "https://me:pepper@tts",
        "DUBBING_DATABASE_URL": "mysql://me:pepper@db",
    }
    with pytest.raises(SettingsError) as caught:
        read_settings(wrong)
    assert len(caught.value.problems) == len(wrong)
    assert "TIMEOUT_MUX_SECONDS is 'soon'" in str(caught.value)
    assert "pepper" not in str([one for one in caught.value.problems if "DATABASE" in one])


def test_tables_in_postgres_take_the_records_with_them() -> None:
    url = "postgresql://localhost/dubbing"
    assert read_settings({"DUBBING_DATABASE_URL": url}).of_dubbing()["records_url"] == url
    assert read_settings({}).of_dubbing() == {"broker_url": None, "events_url": None, "records_url": None}
