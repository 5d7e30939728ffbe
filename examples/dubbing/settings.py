"""The settings of all programs of Dubbing: from the environment, read once, with all mistakes told at once.

What is not set is Goatherd's business: its own `GOATHERD_…` settings, then its defaults, with everything in one file.
"""
# ruff: noqa: RUF009 - from_variable() makes a field that is never changed

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from examples.running.environment import from_variable, read

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Retries: TypeAlias = Annotated[int, Meta(ge=0, le=100)]
Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=86_400)]
Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
AmqpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^amqps?://")]
RedisUrl: TypeAlias = Annotated[str, Meta(pattern=r"^rediss?(\+sentinel)?://")]
DatabaseUrl: TypeAlias = Annotated[str, Meta(pattern=r"^(sqlite:///.+|postgres(ql)?://)")]
#: No user or password in it: keys have settings of their own.
HttpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^https?://[^@]+$")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    # --- where things are -------------------------------------------------------------------------
    rabbitmq_url: AmqpUrl | None = from_variable("DUBBING_RABBITMQ_URL", secret=True)
    redis_url: RedisUrl | None = from_variable("DUBBING_REDIS_URL", secret=True)
    #: Where tasks, their steps and their segments are; PostgreSQL also keeps Goatherd's records.
    database_url: DatabaseUrl = from_variable(
        "DUBBING_DATABASE_URL", "sqlite:///.goatherd/dubbing-tasks.db", secret=True
    )
    #: Where videos and sounds are: a folder, or s3://bucket/prefix.
    objects: Name = from_variable("DUBBING_OBJECTS", ".goatherd/dubbing-objects")
    #: An S3-compatible server; without it, Amazon's.
    s3_endpoint: HttpUrl | None = from_variable("AWS_ENDPOINT_URL")
    s3_region: Name | None = from_variable("AWS_REGION")
    s3_key_id: str | None = from_variable("AWS_ACCESS_KEY_ID", secret=True)
    s3_secret: str | None = from_variable("AWS_SECRET_ACCESS_KEY", secret=True)

    # --- who hears, translates and speaks ---------------------------------------------------------
    asr: Literal["moonshine", "http"] = from_variable("DUBBING_ASR", "moonshine")
    asr_url: HttpUrl = from_variable("DUBBING_ASR_URL", "https://api.openai.com/v1")
    asr_key: str | None = from_variable("DUBBING_ASR_KEY", secret=True)
    asr_model: Name = from_variable("DUBBING_ASR_MODEL", "whisper-1")
    translation: Literal["apertium", "http"] = from_variable("DUBBING_TRANSLATION", "apertium")
    translation_url: HttpUrl = from_variable("DUBBING_TRANSLATION_URL", "http://127.0.0.1:5000")
    translation_key: str | None = from_variable("DUBBING_TRANSLATION_KEY", secret=True)
    tts: Literal["espeak", "http"] = from_variable("DUBBING_TTS", "espeak")
    tts_url: HttpUrl = from_variable("DUBBING_TTS_URL", "https://api.openai.com/v1")
    tts_key: str | None = from_variable("DUBBING_TTS_KEY", secret=True)
    tts_model: Name = from_variable("DUBBING_TTS_MODEL", "tts-1")
    tts_voice: Name = from_variable("DUBBING_TTS_VOICE", "alloy")
    #: Seconds that a server gets for one answer.
    http_timeout: Seconds = from_variable("DUBBING_HTTP_TIMEOUT", 60.0)
    #: A file with faults on purpose, for tests; see providers/mischief.py.
    mischief: str | None = from_variable("DUBBING_MISCHIEF")

    # --- steps ------------------------------------------------------------------------------------
    translate_batch_size: Count = from_variable("TRANSLATE_BATCH_SIZE", 20)
    translate_item_max_retries: Retries = from_variable("TRANSLATE_ITEM_MAX_RETRIES", 3)
    #: Characters; a longer text is translated in parts.
    translate_max_text_length: Annotated[int, Meta(ge=20)] = from_variable("TRANSLATE_MAX_TEXT_LENGTH", 2_000)
    #: Segments in one message, done one after the other.
    tts_batch_size: Count = from_variable("TTS_BATCH_SIZE", 2)
    #: Segments of one task that are spoken at the same time, by all workers together.
    tts_max_concurrency: Count = from_variable("TTS_MAX_CONCURRENCY", 4)
    tts_max_retries: Retries = from_variable("TTS_MAX_RETRIES", 3)
    #: Before the first retry; twice as long before each one after it. Holds for every step.
    tts_retry_delay: Seconds = from_variable("TTS_RETRY_DELAY_SECONDS", 1.0)
    timeout_extract_audio: Seconds = from_variable("TIMEOUT_EXTRACT_AUDIO_SECONDS", 600.0)
    timeout_asr: Seconds = from_variable("TIMEOUT_ASR_SECONDS", 1800.0)
    timeout_translate: Seconds = from_variable("TIMEOUT_TRANSLATE_SECONDS", 300.0)
    timeout_tts: Seconds = from_variable("TIMEOUT_TTS_SECONDS", 300.0)
    timeout_mux: Seconds = from_variable("TIMEOUT_MUX_SECONDS", 1800.0)
    #: What this worker is called in the table of steps.
    worker: Name = from_variable("DUBBING_WORKER", str(os.getpid()))

    # --- the web ----------------------------------------------------------------------------------
    host: Name = from_variable("DUBBING_HOST", "127.0.0.1")
    #: 0 takes a free one.
    port: Port = from_variable("DUBBING_PORT", 8000)
    #: The most bytes of a video.
    max_video: Count = from_variable("DUBBING_MAX_VIDEO", 500_000_000)

    @property
    def on_postgres(self) -> bool:
        """Whether tasks are in PostgreSQL."""
        return not self.database_url.startswith("sqlite:")

    def of_dubbing(self) -> dict[str, Any]:
        """What they mean to Goatherd; None is what was not set."""
        records = self.database_url if self.on_postgres else None
        return {"broker_url": self.rabbitmq_url, "events_url": self.redis_url, "records_url": records}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; raises SettingsError with every mistake."""
    return read(Settings, environment)
