"""The settings of all programs of Comments: from the environment, read once, with all mistakes told at once.

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

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=40)]
Count: TypeAlias = Annotated[int, Meta(ge=1)]
Pause: TypeAlias = Annotated[float, Meta(ge=0)]
Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
AmqpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^amqps?://")]
RedisUrl: TypeAlias = Annotated[str, Meta(pattern=r"^rediss?(\+sentinel)?://")]
DatabaseUrl: TypeAlias = Annotated[str, Meta(pattern=r"^(sqlite:///.+|postgres(ql)?://)")]


def _from(variable: str, default: Any = None, *, secret: bool = False) -> Any:
    """A setting and the variable that it comes from; a secret is never shown."""
    return field(default=default, repr=not secret, metadata={"variable": variable, "secret": secret})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    # --- where things are -------------------------------------------------------------------------
    rabbitmq_url: AmqpUrl | None = _from("COMMENTS_RABBITMQ_URL", secret=True)
    redis_url: RedisUrl | None = _from("COMMENTS_REDIS_URL", secret=True)
    #: Where posts and comments are.
    database_url: DatabaseUrl = _from("COMMENTS_DATABASE_URL", "sqlite:///.goatherd/comments-posts.db", secret=True)
    #: Where the lanes are: on Redis if there is one, or in the application's own PostgreSQL.
    lanes: Literal["redis", "database"] = _from("COMMENTS_LANES", "redis")

    # --- comments ---------------------------------------------------------------------------------
    #: Seconds that a comment takes to be checked, so that one can see it being written.
    pause: Pause = _from("COMMENTS_PAUSE", 0.4)
    #: Seconds before the first of two retries of a comment that fails.
    retry_base: Pause = _from("COMMENTS_RETRY_BASE", 2.0)
    #: How many comments may wait for one post.
    lane_limit: Count = _from("COMMENTS_LANE_LIMIT", 200)
    #: What this worker is called in the page.
    worker: Name = _from("COMMENTS_WORKER", str(os.getpid()))

    # --- the web ----------------------------------------------------------------------------------
    host: Name = _from("COMMENTS_HOST", "127.0.0.1")
    #: 0 takes a free one.
    port: Port = _from("COMMENTS_PORT", 8000)

    @property
    def on_postgres(self) -> bool:
        """Whether posts and comments are in PostgreSQL."""
        return not self.database_url.startswith("sqlite:")

    def of_comments(self) -> dict[str, Any]:
        """What they mean to Goatherd; None is what was not set."""
        lanes = self.database_url if self.lanes == "database" else self.redis_url
        return {"broker_url": self.rabbitmq_url, "events_url": self.redis_url, "lanes_url": lanes}


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
    if not problems and given.get("lanes") == "database" and not Settings(**given).on_postgres:
        problems.append("COMMENTS_LANES is 'database', but COMMENTS_DATABASE_URL does not name a PostgreSQL")
    if problems:
        raise SettingsError(problems)
    return Settings(**given)
