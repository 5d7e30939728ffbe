"""The settings of all programs of Dubbing: from the environment, read once, with all mistakes told at once.

What is not set is Goatherd's business: its own `GOATHERD_…` settings, then its defaults, with everything in one file.
"""
# ruff: noqa: RUF009 - _from() makes a field that is never changed

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

import msgspec
from msgspec import Meta

from goatherd.errors import SettingsError

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


def _from(variable: str, default: Any = None, *, secret: bool = False) -> Any:
    """A setting and the variable that it comes from; a secret is never shown."""
    return field(default=default, repr=not secret, metadata={"variable": variable, "secret": secret})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    # --- where things are -------------------------------------------------------------------------
    rabbitmq_url: AmqpUrl | None = _from("DUBBING_RABBITMQ_URL", secret=True)
    redis_url: RedisUrl | None = _from("DUBBING_REDIS_URL", secret=True)
    #: Where tasks, their steps and their segments are; PostgreSQL also keeps Goatherd's records.
    database_url: DatabaseUrl = _from("DUBBING_DATABASE_URL", "sqlite:///.goatherd/dubbing-tasks.db", secret=True)
    #: Where videos and sounds are: a folder, or s3://bucket/prefix.
    objects: Name = _from("DUBBING_OBJECTS", ".goatherd/dubbing-objects")
    #: An S3-compatible server; without it, Amazon's.
    s3_endpoint: HttpUrl | None = _from("AWS_ENDPOINT_URL")
    s3_region: Name | None = _from("AWS_REGION")
    s3_key_id: str | None = _from("AWS_ACCESS_KEY_ID", secret=True)
    s3_secret: str | None = _from("AWS_SECRET_ACCESS_KEY", secret=True)

    # --- who hears, translates and speaks ---------------------------------------------------------
    asr: Literal["moonshine", "http"] = _from("DUBBING_ASR", "moonshine")
    asr_url: HttpUrl = _from("DUBBING_ASR_URL", "https://api.openai.com/v1")
    asr_key: str | None = _from("DUBBING_ASR_KEY", secret=True)
    asr_model: Name = _from("DUBBING_ASR_MODEL", "whisper-1")
    translation: Literal["apertium", "http"] = _from("DUBBING_TRANSLATION", "apertium")
    translation_url: HttpUrl = _from("DUBBING_TRANSLATION_URL", "http://127.0.0.1:5000")
    translation_key: str | None = _from("DUBBING_TRANSLATION_KEY", secret=True)
    tts: Literal["espeak", "http"] = _from("DUBBING_TTS", "espeak")
    tts_url: HttpUrl = _from("DUBBING_TTS_URL", "https://api.openai.com/v1")
    tts_key: str | None = _from("DUBBING_TTS_KEY", secret=True)
    tts_model: Name = _from("DUBBING_TTS_MODEL", "tts-1")
    tts_voice: Name = _from("DUBBING_TTS_VOICE", "alloy")
    #: Seconds that a server gets for one answer.
    http_timeout: Seconds = _from("DUBBING_HTTP_TIMEOUT", 60.0)
    #: A file with faults on purpose, for tests; see providers/mischief.py.
    mischief: str | None = _from("DUBBING_MISCHIEF")

    # --- steps ------------------------------------------------------------------------------------
    translate_batch_size: Count = _from("TRANSLATE_BATCH_SIZE", 20)
    translate_item_max_retries: Retries = _from("TRANSLATE_ITEM_MAX_RETRIES", 3)
    #: Characters; a longer text is translated in parts.
    translate_max_text_length: Annotated[int, Meta(ge=20)] = _from("TRANSLATE_MAX_TEXT_LENGTH", 2_000)
    #: Segments in one message, done one after the other.
    tts_batch_size: Count = _from("TTS_BATCH_SIZE", 2)
    #: Segments of one task that are spoken at the same time, by all workers together.
    tts_max_concurrency: Count = _from("TTS_MAX_CONCURRENCY", 4)
    tts_max_retries: Retries = _from("TTS_MAX_RETRIES", 3)
    #: Before the first retry; twice as long before each one after it. Holds for every step.
    tts_retry_delay: Seconds = _from("TTS_RETRY_DELAY_SECONDS", 1.0)
    timeout_extract_audio: Seconds = _from("TIMEOUT_EXTRACT_AUDIO_SECONDS", 600.0)
    timeout_asr: Seconds = _from("TIMEOUT_ASR_SECONDS", 1800.0)
    timeout_translate: Seconds = _from("TIMEOUT_TRANSLATE_SECONDS", 300.0)
    timeout_tts: Seconds = _from("TIMEOUT_TTS_SECONDS", 300.0)
    timeout_mux: Seconds = _from("TIMEOUT_MUX_SECONDS", 1800.0)
    #: What this worker is called in the table of steps.
    worker: Name = _from("DUBBING_WORKER", str(os.getpid()))

    # --- the web ----------------------------------------------------------------------------------
    host: Name = _from("DUBBING_HOST", "127.0.0.1")
    #: 0 takes a free one.
    port: Port = _from("DUBBING_PORT", 8000)
    #: The most bytes of a video.
    max_video: Count = _from("DUBBING_MAX_VIDEO", 500_000_000)

    @property
    def on_postgres(self) -> bool:
        """Whether tasks are in PostgreSQL."""
        return not self.database_url.startswith("sqlite:")

    def of_dubbing(self) -> dict[str, Any]:
        """What they mean to Goatherd; None is what was not set."""
        records = self.database_url if self.on_postgres else None
        return {"broker_url": self.rabbitmq_url, "events_url": self.redis_url, "records_url": records}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; an empty variable counts as absent. Raises SettingsError with every mistake."""
    problems: list[str] = []
    given: dict[str, Any] = {}
    types = get_type_hints(Settings, include_extras=True)
    for setting in fields(Settings):
        variable = setting.metadata["variable"]
        if written := environment.get(variable, "").strip():
            shown = "not usable" if setting.metadata["secret"] else repr(written)
            try:
                given[setting.name] = msgspec.convert(written, types[setting.name], strict=False)
            except msgspec.ValidationError as error:
                problems.append(f"{variable} is {shown}: {str(error).lower().replace('`', '')}")
    if problems:
        raise SettingsError(problems)
    return Settings(**given)
