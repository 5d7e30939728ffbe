"""The settings of all programs of Chat: from the environment, read once, with all mistakes told at once.

What is not set is Goatherd's business: its own `GOATHERD_…` settings, then its defaults, with everything in one file.
"""
# ruff: noqa: RUF009 - from_variable() makes a field that is never changed

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from msgspec import Meta

from examples.running.environment import from_variable, read

Name: TypeAlias = Annotated[str, Meta(min_length=1)]
StateName: TypeAlias = Annotated[str, Meta(pattern=r"^.+:state$")]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Seconds: TypeAlias = Annotated[float, Meta(gt=0)]
Pause: TypeAlias = Annotated[float, Meta(ge=0)]
Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
AmqpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^amqps?://")]
RedisUrl: TypeAlias = Annotated[str, Meta(pattern=r"^rediss?(\+sentinel)?://")]
HttpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^https?://[^/@]+(/|$)")]

DOCUMENTS = Path(__file__).parents[2] / "docs"


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    # --- where things are -------------------------------------------------------------------------
    rabbitmq_url: AmqpUrl | None = from_variable("CHAT_RABBITMQ_URL", secret=True)
    streams_url: RedisUrl | None = from_variable("REDIS_STREAMS_URL", secret=True)
    #: The server that calls watchers, which may be the same.
    pubsub_url: RedisUrl | None = from_variable("REDIS_PUBSUB_URL", secret=True)

    # --- routers ----------------------------------------------------------------------------------
    consumer_group: Name | None = from_variable("CONSUMER_GROUP")
    #: Streams over which events are spread; chat has a number of its own.
    shards: Count | None = from_variable("SHARD_COUNT")
    chat_shards: Count | None = from_variable("CHAT_SHARD_COUNT")
    block_ms: Count | None = from_variable("XREAD_BLOCK_MS")
    batch: Count | None = from_variable("XREAD_COUNT")
    reclaim_idle_ms: Count | None = from_variable("RECLAIM_MIN_IDLE_MS")

    # --- events and gateways ----------------------------------------------------------------------
    #: Seconds for which a job can be watched after its last event.
    state_ttl: Seconds | None = from_variable("STATE_TTL")
    keepalive: Seconds | None = from_variable("SSE_KEEPALIVE_INTERVAL")
    max_wait: Seconds | None = from_variable("SSE_MAX_WAIT_SECONDS")
    queue_size: Count | None = from_variable("SSE_QUEUE_MAXSIZE")
    channel_prefix: Name | None = from_variable("PUBSUB_CHANNEL_PREFIX")
    #: What the keys of chat's states begin with, such as `chat:state`; its other keys begin alike.
    state_prefix: StateName | None = from_variable("STATE_KEY_PREFIX")
    state_timeout: Seconds | None = from_variable("STATE_TIMEOUT_SECONDS")

    # --- answers ----------------------------------------------------------------------------------
    #: Who writes them: nobody (the best sentences of the documents), or a language model.
    provider: Literal["offline", "openai"] = from_variable("CHAT_PROVIDER", "offline")
    #: A server that speaks OpenAI's chat completions, without the /chat/completions at the end.
    api_base: HttpUrl = from_variable("CHAT_API_BASE", "https://api.openai.com/v1")
    api_key: Name | None = from_variable("CHAT_API_KEY", secret=True)
    model: Name = from_variable("CHAT_MODEL", "gpt-4o-mini")
    #: Seconds without a word after which the language model is given up.
    api_timeout: Seconds = from_variable("CHAT_API_TIMEOUT", 30.0)
    #: Seconds before the first of three retries of a call to it.
    api_retry_base: Pause = from_variable("CHAT_API_RETRY_BASE", 1.0)
    #: The folder of Markdown files that answers are looked for in.
    documents: Path = from_variable("CHAT_DOCUMENTS", DOCUMENTS)
    #: The file of their full-text index.
    library: Path = from_variable("CHAT_LIBRARY", Path(".goatherd/chat-library.db"))
    #: Seconds between two words without a language model, so that one can see them come.
    pause: Pause = from_variable("CHAT_PAUSE", 0.03)

    # --- the web ----------------------------------------------------------------------------------
    host: Name = from_variable("CHAT_HOST", "127.0.0.1")
    #: 0 takes a free one.
    port: Port = from_variable("CHAT_PORT", 8000)
    #: Where browsers find the gateway, if it is a program of its own; else this program has one in it.
    gateway_url: HttpUrl | None = from_variable("CHAT_GATEWAY_URL")
    #: The file of the questions and answers.
    history: Path = from_variable("CHAT_HISTORY", Path(".goatherd/chat-history.db"))

    def of_chat(self) -> dict[str, Any]:
        """What they mean to Goatherd, for the domain `chat`; None is what was not set."""
        prefix = None if self.state_prefix is None else self.state_prefix.removesuffix(":state")
        return self._of_both() | {"event_prefix": prefix, "event_shards": self.chat_shards or self.shards}

    def of_scan(self) -> dict[str, Any]:
        """The same for the domain `scan`."""
        return self._of_both() | {"event_shards": self.shards}

    def _of_both(self) -> dict[str, Any]:
        return {
            "broker_url": self.rabbitmq_url,
            "events_url": self.streams_url,
            # A server is not told to relay to itself.
            "live_url": None if self.pubsub_url == self.streams_url else self.pubsub_url,
            "router_group": self.consumer_group,
            "router_block": _seconds(self.block_ms),
            "router_batch": self.batch,
            "router_reclaim_idle": _seconds(self.reclaim_idle_ms),
            "event_ttl": self.state_ttl,
            "gateway_keepalive": self.keepalive,
            "gateway_max_wait": self.max_wait,
            "gateway_buffer": self.queue_size,
            "live_prefix": self.channel_prefix,
            "gateway_state_timeout": self.state_timeout,
        }


VARIABLES: Mapping[str, str] = {setting.name: setting.metadata["variable"] for setting in fields(Settings)}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; raises SettingsError with every mistake."""
    return read(Settings, environment, _contradictions)


def _contradictions(given: Mapping[str, Any]) -> list[str]:
    found = []
    if "pubsub_url" in given and "streams_url" not in given:
        found.append("REDIS_PUBSUB_URL is set, but REDIS_STREAMS_URL is not: say where the events are kept")
    if given.get("state_prefix") == "scan:state":
        found.append("STATE_KEY_PREFIX is 'scan:state', which is the other domain's: choose another for chat")
    if "api_base" in given and urlsplit(given["api_base"]).hostname is None:
        found.append("CHAT_API_BASE has no host: it must look like https://host/v1")
    return found


def _seconds(milliseconds: int | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1000
