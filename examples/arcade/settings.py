"""The settings of all programs of Arcade: from the environment, read once, with all mistakes told at once.

A name like `jobs.gift-aggregation.fixedDelay` is the variable `JOBS_GIFT_AGGREGATION_FIXEDDELAY`. Cron expressions are
read by Goatherd itself: each schedule names its setting, like `batch.cron.archive-data`. What is not set is Goatherd's
business.
"""
# ruff: noqa: RUF009 - from_variable() makes a field that is never changed

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias
from urllib.parse import urlencode

from msgspec import Meta

from examples.running.environment import from_variable, read

Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=100)]
Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=86_400)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=100, le=86_400_000)]
Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]
AmqpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^amqps?://")]
RedisUrl: TypeAlias = Annotated[str, Meta(pattern=r"^rediss?(\+sentinel)?://")]
DatabaseUrl: TypeAlias = Annotated[str, Meta(pattern=r"^(sqlite:///.+|postgres(ql)?://)")]
HttpUrl: TypeAlias = Annotated[str, Meta(pattern=r"^https?://")]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    # --- where things are -------------------------------------------------------------------------
    rabbitmq_url: AmqpUrl | None = from_variable("ARCADE_RABBITMQ_URL", secret=True)
    redis_url: RedisUrl | None = from_variable("ARCADE_REDIS_URL", secret=True)
    #: Where settings, machines, players and all the rest are; PostgreSQL also keeps Goatherd's records.
    database_url: DatabaseUrl = from_variable("ARCADE_DATABASE_URL", "sqlite:///.goatherd/arcade-game.db", secret=True)
    #: The Realtime Database, without a path.
    firebase_url: HttpUrl = from_variable("ARCADE_FIREBASE_URL", "http://127.0.0.1:9099")
    #: A database secret, or an ID token.
    firebase_auth: str | None = from_variable("ARCADE_FIREBASE_AUTH", secret=True)
    #: Whose commands are taken: those under `commands/<env>`.
    env: Name = from_variable("ARCADE_ENV", "dev")

    # --- listeners and dead letters ---------------------------------------------------------------
    #: Seconds between two looks at the rows that decide which queues are listened to.
    look_every: Seconds = from_variable("ARCADE_LOOK_EVERY", 5.0)
    #: `queue.dlq`: where every dead letter is told.
    dlq: Name = from_variable("QUEUE_DLQ", "DLQ")
    #: Is told of every dead letter by an HTTP POST; without it, the log is.
    alert_webhook: HttpUrl | None = from_variable("ALERT_WEBHOOK_URL", secret=True)

    # --- jobs that have an interval, in milliseconds ----------------------------------------------
    matchmaking: Milliseconds = from_variable("JOBS_MATCHMAKING_FIXEDRATE", 60_000)
    machine_waiting: Milliseconds = from_variable("JOBS_MACHINE_WAITING_FIXEDRATE", 10_000)
    overtime_ping: Milliseconds = from_variable("JOBS_OVERTIME_PING_FIXEDDELAY", 5_000)
    card_confirm: Milliseconds = from_variable("JOBS_CARD_CONFIRM_FIXEDRATE", 30_000)
    token_confirm: Milliseconds = from_variable("JOBS_TOKEN_CONFIRM_FIXEDRATE", 30_000)
    gift_aggregation: Milliseconds = from_variable("JOBS_GIFT_AGGREGATION_FIXEDDELAY", 5_000)
    #: In which cron expressions are meant.
    time_zone: Name = from_variable("BATCH_CRON_ZONE", "Asia/Tokyo")

    # --- programs ---------------------------------------------------------------------------------
    #: What this process is called where it notes what it did.
    worker: Name = from_variable("ARCADE_WORKER", str(os.getpid()))
    host: Name = from_variable("ARCADE_HOST", "127.0.0.1")
    #: 0 takes a free one.
    port: Port = from_variable("ARCADE_PORT", 8000)

    @property
    def on_postgres(self) -> bool:
        """Whether the game is in PostgreSQL."""
        return not self.database_url.startswith("sqlite:")

    def of_arcade(self) -> dict[str, Any]:
        """What they mean to Goatherd; None is what was not set."""
        records = self.database_url if self.on_postgres else None
        return {
            "broker_url": self.rabbitmq_url,
            "events_url": self.redis_url,
            "lanes_url": self.redis_url,
            "records_url": records,
        }

    def inbox_url(self, path: str) -> str:
        """A path of the Realtime Database, as Goatherd names it."""
        who = f"?{urlencode({'auth': self.firebase_auth})}" if self.firebase_auth else ""
        return f"firebase+{self.firebase_url.rstrip('/')}/{path}{who}"


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; raises SettingsError with every mistake."""
    return read(Settings, environment)
