"""The settings of all programs of Comments: from the environment, read once, with all mistakes told at once.

What is not set is Goatherd's business: its own `GOATHERD_…` settings, then its defaults, with everything in one file.
"""
# ruff: noqa: RUF009 - from_variable() makes a field that is never changed

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta

from examples.running.environment import from_variable, read

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=40)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Pause: TypeAlias = Annotated[float, Meta(ge=0)]
Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
AmqpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^amqps?://")]
RedisUrl: TypeAlias = Annotated[str, Meta(pattern=r"^rediss?(\+sentinel)?://")]
DatabaseUrl: TypeAlias = Annotated[str, Meta(pattern=r"^(sqlite:///.+|postgres(ql)?://)")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    # --- where things are -------------------------------------------------------------------------
    rabbitmq_url: AmqpUrl | None = from_variable("COMMENTS_RABBITMQ_URL", secret=True)
    redis_url: RedisUrl | None = from_variable("COMMENTS_REDIS_URL", secret=True)
    #: Where posts and comments are.
    database_url: DatabaseUrl = from_variable(
        "COMMENTS_DATABASE_URL", "sqlite:///.goatherd/comments-posts.db", secret=True
    )
    #: Where the lanes are: on Redis if there is one, or in the application's own PostgreSQL.
    lanes: Literal["redis", "database"] = from_variable("COMMENTS_LANES", "redis")

    # --- comments ---------------------------------------------------------------------------------
    #: Seconds that a comment takes to be checked, so that one can see it being written.
    pause: Pause = from_variable("COMMENTS_PAUSE", 0.4)
    #: Seconds before the first of two retries of a comment that fails.
    retry_base: Pause = from_variable("COMMENTS_RETRY_BASE", 2.0)
    #: How many comments may wait for one post.
    lane_limit: Count = from_variable("COMMENTS_LANE_LIMIT", 200)
    #: What this worker is called in the page.
    worker: Name = from_variable("COMMENTS_WORKER", str(os.getpid()))

    # --- the web ----------------------------------------------------------------------------------
    host: Name = from_variable("COMMENTS_HOST", "127.0.0.1")
    #: 0 takes a free one.
    port: Port = from_variable("COMMENTS_PORT", 8000)

    @property
    def on_postgres(self) -> bool:
        """Whether posts and comments are in PostgreSQL."""
        return not self.database_url.startswith("sqlite:")

    def of_comments(self) -> dict[str, Any]:
        """What they mean to Goatherd; None is what was not set."""
        lanes = self.database_url if self.lanes == "database" else self.redis_url
        return {"broker_url": self.rabbitmq_url, "events_url": self.redis_url, "lanes_url": lanes}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; raises SettingsError with every mistake."""
    return read(Settings, environment, _contradictions)


def _contradictions(given: Mapping[str, Any]) -> list[str]:
    in_file = given.get("database_url", "sqlite:").startswith("sqlite:")
    if given.get("lanes") != "database" or not in_file:
        return []
    return ["COMMENTS_LANES is 'database', but COMMENTS_DATABASE_URL does not name a PostgreSQL"]
