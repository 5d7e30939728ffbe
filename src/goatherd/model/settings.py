"""Every setting, with its default."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

import msgspec

from goatherd.model.retry import Retry

Positive = Annotated[float, msgspec.Meta(gt=0)]
PositiveCount = Annotated[int, msgspec.Meta(ge=1)]
Name = Annotated[str, msgspec.Meta(min_length=1)]
Secret = Annotated[str, msgspec.Meta(min_length=16)]
#: Where only programs of this machine come to.
LOOPBACK = "127.0.0.1"


class SettingsKeywords(TypedDict, total=False):
    """Every setting; also `GOATHERD_<NAME>` in the environment and a line of `goatherd.toml`."""

    broker_url: str | None
    events_url: str | None
    live_url: str | None
    records_url: str | None
    lanes_url: str | None
    volatile_lanes: bool
    secret: str | None
    declare: Literal["create", "check", "never"]
    management_url: str | None
    drift_every: float
    queue_type: Literal["quorum", "classic"]
    connections: Literal["split", "shared"]
    consumer_timeout: float
    default_queue: str | None
    prefetch: int
    concurrency: int
    grace_period: float
    health_port: int | None
    health_host: str
    publish_deadline: float
    call_deadline: float
    calls_in_flight: int
    reply_queue: Literal["durable", "exclusive"]
    payload_limit: int
    deploy_grace: float
    lease: float
    event_prefix: str | None
    live_prefix: str
    event_ttl: float
    event_shards: int
    token_window: float
    router_group: str
    router_block: float
    router_batch: int
    router_reclaim_idle: float
    history_days: float
    history_jobs: int
    track_all: bool
    gateway_keepalive: float
    gateway_max_wait: float
    gateway_buffer: int
    gateway_state_timeout: float
    gateway_connections: int
    gateway_connections_each: int
    gateway_drain: float
    retry: Retry
    redact: Sequence[str]
    alert_webhook: str | None
    alert_lag: float
    alert_backlog: int
    alert_dead: int
    alert_after: float
    alert_every: float
    tracing: Literal["auto", "on", "off"]
    metrics_every: float
    opentelemetry_metrics: Literal["auto", "on", "off"]
    report_every: float
    audit_days: float
    dashboard_token: str | None
    dashboard_read_token: str | None
    dashboard_user_header: str | None
    dashboard_operators: Sequence[str]
    dashboard_proxies: Sequence[str]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force."""

    #: Where jobs wait.
    broker_url: str
    #: Where the events of tracked jobs are kept; None means with the jobs, or in a file if these are with a broker.
    events_url: str | None = None
    #: The server that calls those who watch, if it is another one than that of the events.
    live_url: str | None = None
    #: Where the history of tracked jobs is kept; None means with the jobs, or in a file if these are with a broker.
    records_url: str | None = None
    #: Where jobs that share a key wait in order; None means with the jobs, or in a file if these are with a broker.
    lanes_url: str | None = None
    #: Whether lanes may be on a Redis that forgets them when it ends, or when its memory is full.
    volatile_lanes: bool = False
    #: What tokens for streams are signed with; the same for all processes.
    secret: Secret | None = None
    #: The app's name; not a setting of its own.
    app: str = "goatherd"
    #: On a broker of its own: make what is missing, check that all is there and as wanted, or do neither.
    declare: Literal["create", "check", "never"] = "create"
    #: The management API of the broker; None means beside the broker.
    management_url: str | None = None
    #: Seconds between two looks of a scheduler whether the broker is as wanted; 0 means never.
    drift_every: Annotated[float, msgspec.Meta(ge=0)] = 300.0
    #: The kind of our own queues on RabbitMQ.
    queue_type: Literal["quorum", "classic"] = "quorum"
    #: On RabbitMQ: publish and consume on two connections, or on one.
    connections: Literal["split", "shared"] = "split"
    #: Seconds after which RabbitMQ takes back a job that is not acked, if it was told otherwise than by default.
    consumer_timeout: Positive | None = None
    #: The queue of tasks that name none.
    default_queue: str
    #: Jobs held by a worker for each queue, running ones included; None means twice the concurrency.
    prefetch: PositiveCount | None = None
    #: Jobs that a worker process does at once.
    concurrency: PositiveCount = 16
    #: Seconds that running jobs get to end when a worker is told to stop.
    grace_period: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    #: Where worker, scheduler and router tell how they are; no port means nowhere, 0 a free one.
    health_port: Annotated[int, msgspec.Meta(ge=0, le=65535)] | None = None
    health_host: Name = LOOPBACK
    #: Seconds within which the broker must accept a job.
    publish_deadline: Positive = 10.0
    #: Seconds that a call waits for its answer, unless it or its task says otherwise.
    call_deadline: Positive = 30.0
    #: Calls of this process that may wait for their answers at once.
    calls_in_flight: PositiveCount = 1000
    #: The queue for answers: one that outlives a lost connection, or one that the broker names and drops with it.
    reply_queue: Literal["durable", "exclusive"] = "durable"
    #: Bytes that the arguments of one job may take.
    payload_limit: PositiveCount = 1024 * 1024
    #: Seconds for which a job of an unknown task, argument or envelope is offered to other workers.
    deploy_grace: Annotated[float, msgspec.Meta(ge=0)] = 600.0
    #: Seconds of silence after which a worker that hangs loses its jobs.
    lease: Annotated[float, msgspec.Meta(ge=1)] = 30.0
    #: What names of keys on Redis begin with, and rows of the history on PostgreSQL; None means the app's name.
    event_prefix: Name | None = None
    #: What names of channels on Redis begin with.
    live_prefix: Name = "sse:events"
    #: Seconds for which a job's events are kept after the last of them.
    event_ttl: Annotated[float, msgspec.Meta(ge=1, le=315_360_000)] = 3600.0
    #: Streams over which the events of all jobs are spread for routers; the same for all processes.
    event_shards: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 4
    #: Seconds for which tokens are collected before they are written together.
    token_window: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.04
    #: The consumer group of all routers.
    router_group: Name = "eventrouter"
    #: Seconds for which a router waits for events at a time.
    router_block: Positive = 5.0
    #: Events that a router takes at once.
    router_batch: PositiveCount = 100
    #: Seconds after which events that a router took and did not finish are taken over by another.
    router_reclaim_idle: Positive = 300.0
    #: Days for which the history of tracked jobs is kept.
    history_days: Positive = 7.0
    #: Tracked jobs that the history has at most; the oldest are dropped.
    history_jobs: PositiveCount = 1_000_000
    #: Whether every job of every task is tracked, whoever sends it and however.
    track_all: bool = False
    #: Seconds of silence after which a gateway sends a sign of life.
    gateway_keepalive: Positive = 15.0
    #: Seconds after which a gateway ends a connection; the browser comes back by itself.
    gateway_max_wait: Positive = 300.0
    #: Frames that a client may lag behind before it is served from the log.
    gateway_buffer: PositiveCount = 100
    #: Seconds of silence of a watched job after which a gateway looks for itself.
    gateway_state_timeout: Positive = 5.0
    #: Connections to one gateway process at once, and those of one subject among them.
    gateway_connections: PositiveCount = 15_000
    gateway_connections_each: PositiveCount = 100
    #: Seconds over which a gateway that stops sends its clients away.
    gateway_drain: Annotated[float, msgspec.Meta(ge=0)] = 20.0
    #: Argument names whose values are not shown.
    redact: tuple[str, ...] = ("password", "token", "secret")
    #: Where alerts are posted to.
    alert_webhook: str | None = None
    #: Seconds that a job may wait, jobs that may wait in one queue, and dead letters in one queue before somebody is
    #: told; 0 means never.
    alert_lag: Annotated[float, msgspec.Meta(ge=0)] = 300.0
    alert_backlog: Annotated[int, msgspec.Meta(ge=0)] = 10_000
    alert_dead: Annotated[int, msgspec.Meta(ge=0)] = 1
    #: Seconds that a condition which may pass by itself has to last before somebody is told, and that any must be gone
    #: before it counts as over.
    alert_after: Annotated[float, msgspec.Meta(ge=0)] = 60.0
    #: Seconds after which somebody is told again of what still lasts; 0 means never.
    alert_every: Annotated[float, msgspec.Meta(ge=0)] = 3600.0
    #: Whether spans are begun for OpenTelemetry; auto means if the program has configured who records them.
    tracing: Literal["auto", "on", "off"] = "auto"
    #: Seconds between two looks of a scheduler at what all processes share, for metrics; 0 means never.
    metrics_every: Annotated[float, msgspec.Meta(ge=0)] = 15.0
    #: Whether OpenTelemetry gets the metrics, too; auto means if the program has its SDK for metrics loaded.
    opentelemetry_metrics: Literal["auto", "on", "off"] = "auto"
    #: Seconds between two reports of a process with a role on how it stands and what it has done; 0 means never.
    report_every: Annotated[float, msgspec.Meta(ge=0)] = 5.0
    #: Days for which it is kept what operators did on the dashboard.
    audit_days: Positive = 90.0
    #: With the first a person may see and do everything on the dashboard, with the second only see it.
    dashboard_token: Secret | None = None
    dashboard_read_token: Secret | None = None
    #: The header in which a proxy that people sign in at says who it is; those of them that may act, by that name.
    dashboard_user_header: Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9-]+$")] | None = None
    dashboard_operators: tuple[Name, ...] = ()
    #: Addresses and networks of proxies that are believed.
    dashboard_proxies: tuple[Name, ...] = ("127.0.0.0/8", "::1")

    @property
    def held_by_worker(self) -> int:
        """The prefetch in force."""
        return self.prefetch if self.prefetch is not None else 2 * self.concurrency

    @property
    def prefix_of_events(self) -> str:
        """What tells this app's tracked jobs from those of others in the same store."""
        return self.event_prefix or self.app

    @property
    def event_store(self) -> str:
        """The URL of the events in force."""
        return self.events_url or self._file

    @property
    def record_store(self) -> str:
        """The URL of the records in force."""
        return self.records_url or self._file

    @property
    def lane_store(self) -> str:
        """The URL of the lanes in force."""
        return self.lanes_url or self._file

    @property
    def _file(self) -> str:
        return self.broker_url if self.broker_url.startswith("sqlite:") else default_file(self.app)

    @property
    def event_store_is_local(self) -> bool:
        """Whether events stay on this machine while jobs may go to others."""
        return self._is_local(self.event_store)

    @property
    def record_store_is_local(self) -> bool:
        """Whether records stay on this machine while jobs may go to others."""
        return self._is_local(self.record_store)

    @property
    def lane_store_is_local(self) -> bool:
        """Whether lanes stay on this machine while jobs may go to others."""
        return self._is_local(self.lane_store)

    def _is_local(self, store: str) -> bool:
        return store.startswith("sqlite:") and not self.broker_url.startswith("sqlite:")


def default_file(app: str) -> str:
    """Where everything is kept unless it is said otherwise."""
    return f"sqlite:///.goatherd/{app}.db"
