"""Settings, read once, with all mistakes told at once.

Keyword of `Goatherd(...)` > `GOATHERD_<NAME>` in the environment > `goatherd.toml` > default.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

import msgspec

from goatherd.errors import DefinitionError, SettingsError
from goatherd.model.retry import Retry
from goatherd.model.topology import check_queue_name

Positive = Annotated[float, msgspec.Meta(gt=0)]
PositiveCount = Annotated[int, msgspec.Meta(ge=1)]
Name = Annotated[str, msgspec.Meta(min_length=1)]

PREFIX = "GOATHERD_"
#: Names with our prefix that are no settings: servers for the test suite.
NOT_SETTINGS = ("GOATHERD_TEST_",)
FILE = "goatherd.toml"
SCHEMES = {"broker_url": ("sqlite", "amqp", "amqps"), "events_url": ("sqlite", "redis", "rediss")}


class SettingsKeywords(TypedDict, total=False):
    """Every setting; also `GOATHERD_<NAME>` in the environment and a line of `goatherd.toml`."""

    broker_url: str | None
    events_url: str | None
    declare: Literal["create", "check", "never"]
    queue_type: Literal["quorum", "classic"]
    connections: Literal["split", "shared"]
    consumer_timeout: float
    default_queue: str | None
    prefetch: int
    concurrency: int
    grace_period: float
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
    retry: Retry
    redact: Sequence[str]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force."""

    #: Where jobs wait.
    broker_url: str
    #: Where the events of tracked jobs are kept; None means with the jobs, or in a file if these are with a broker.
    events_url: str | None = None
    #: The app's name; not a setting of its own.
    app: str = "goatherd"
    #: On a broker of its own: make what is missing, check that all is there, or do neither.
    declare: Literal["create", "check", "never"] = "create"
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
    #: What names of keys on Redis begin with; None means the app's name.
    event_prefix: Name | None = None
    #: What names of channels on Redis begin with.
    live_prefix: Name = "sse:events"
    #: Seconds for which a job's events are kept after the last of them.
    event_ttl: Annotated[float, msgspec.Meta(ge=1, le=315_360_000)] = 3600.0
    #: Argument names whose values are not shown.
    redact: tuple[str, ...] = ("password", "token", "secret")

    @property
    def held_by_worker(self) -> int:
        """The prefetch in force."""
        return self.prefetch if self.prefetch is not None else 2 * self.concurrency

    @property
    def event_store(self) -> str:
        """The URL of the events in force."""
        if self.events_url is not None:
            return self.events_url
        return self.broker_url if self.broker_url.startswith("sqlite:") else default_file(self.app)

    @property
    def event_store_is_local(self) -> bool:
        """Whether events stay on this machine while jobs may go to others."""
        return self.event_store.startswith("sqlite:") and not self.broker_url.startswith("sqlite:")


class RetryTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table `[retry]` of goatherd.toml; GOATHERD_RETRY is the number of retries alone."""

    retries: Annotated[int, msgspec.Meta(ge=0)] = 3
    base: Annotated[float, msgspec.Meta(ge=0)] = 1.0
    factor: Annotated[float, msgspec.Meta(ge=1)] = 2.0
    max: Annotated[float, msgspec.Meta(ge=0)] = 30.0
    jitter: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.25


NAMES = (*(name for name in Settings.__struct_fields__ if name != "app"), "retry")


class Sources(msgspec.Struct, frozen=True):
    """Where settings come from."""

    keywords: Mapping[str, Any]
    environment: Mapping[str, str]
    file: Path

    @classmethod
    def here(cls, keywords: Mapping[str, Any]) -> "Sources":
        """This process's environment and working folder."""
        return cls(keywords, os.environ, Path(FILE))


def read_settings(app: str, sources: Sources) -> tuple[Settings, Retry]:
    """The settings in force and the default retry rule; raises SettingsError with every mistake."""
    problems: list[str] = []
    values = _merge(sources, problems)
    values.setdefault("broker_url", (default_file(app), "the default"))
    values.setdefault("default_queue", (app, "the app's name"))
    retry = _retry(values.pop("retry", None), problems)
    checked = {name: _checked(name, *told, problems) for name, told in values.items()}
    for name in SCHEMES:
        _check_url(name, checked.get(name), problems)
    _check_queue("default_queue", checked["default_queue"], problems)
    if problems:
        raise SettingsError(problems)
    return Settings(app=app, **checked), retry


def default_file(app: str) -> str:
    """Where everything is kept unless it is said otherwise."""
    return f"sqlite:///.goatherd/{app}.db"


def check_keywords(keywords: Mapping[str, Any]) -> None:
    """Raise SettingsError for a keyword of `Goatherd(...)` that is no setting."""
    unknown = [f"{name!r} is not a setting{_suggestion(name, NAMES)}" for name in keywords if name not in NAMES]
    if unknown:
        raise SettingsError(unknown)


def _merge(sources: Sources, problems: list[str]) -> dict[str, tuple[Any, str]]:
    """Every given value with where it was given; later sources win."""
    values: dict[str, tuple[Any, str]] = {}
    for name, value in _file(sources.file, problems).items():
        if name in NAMES:
            values[name] = (value, f"{name} in {sources.file.name}")
        else:
            problems.append(f"{name} in {sources.file.name} is not a setting{_suggestion(name, NAMES)}")
    variables = {PREFIX + name.upper(): name for name in NAMES}
    for variable, value in sources.environment.items():
        if variable in variables:
            values[variables[variable]] = (value, variable)
        elif variable.startswith(PREFIX) and not variable.startswith(NOT_SETTINGS):
            problems.append(f"{variable} is not a setting{_suggested_variable(variable)}")
    for name, value in sources.keywords.items():
        if value is not None:
            values[name] = (value, f"{name}= of the app")
    return values


def _file(path: Path, problems: list[str]) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        problems.append(f"{path.name} cannot be read: {error}")
        return {}


def _checked(name: str, value: Any, where: str, problems: list[str]) -> Any:
    wanted = {field.name: field.type for field in msgspec.structs.fields(Settings)}[name]
    if isinstance(value, str) and name == "redact":
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return msgspec.convert(value, wanted, strict=False)
    except msgspec.ValidationError as error:
        problems.append(f"{where} is {value!r}: {str(error).lower().replace('`', '')}")
        return None


def _retry(told: tuple[Any, str] | None, problems: list[str]) -> Retry:
    if told is None:
        return Retry()
    value, where = told
    if isinstance(value, Retry):
        return value
    try:
        table = msgspec.convert(value if isinstance(value, dict) else {"retries": value}, RetryTable, strict=False)
        return Retry(table.retries, base=table.base, factor=table.factor, max=table.max, jitter=table.jitter)
    except ValueError as error:
        problems.append(f"{where} is {value!r}: {str(error).lower().replace('`', '')}")
        return Retry()


def _check_url(name: str, url: Any, problems: list[str]) -> None:
    if url is None:
        return
    scheme, separator, _ = url.partition("://")
    schemes = SCHEMES[name]
    if not separator or scheme.lower() not in schemes:
        problems.append(
            f"{name} is {without_password(url)!r}: it must begin with {' or '.join(f'{s}://' for s in schemes)}, "
            f"for example sqlite:///jobs.db"
        )


def _check_queue(name: str, queue: Any, problems: list[str]) -> None:
    try:
        if queue is not None:
            check_queue_name(queue)
    except DefinitionError as error:
        problems.append(f"{name}: {error}")


def without_password(url: str) -> str:
    """The URL as it may be shown; also one that is too broken to be taken apart."""
    return re.sub(r":(?!//).*@", ":***@", url, flags=re.DOTALL)


def _suggested_variable(variable: str) -> str:
    """Compared without the prefix, which would make every variable look alike."""
    return _suggestion(variable.removeprefix(PREFIX).lower(), NAMES, lambda name: PREFIX + name.upper())


def _suggestion(name: str, known: Sequence[str], spell: Callable[[str], str] = str) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {spell(near[0])}?" if near else ""
