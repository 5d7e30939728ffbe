"""Settings, read once, with all mistakes told at once.

Keyword of `Goatherd(...)` > `GOATHERD_<NAME>` in the environment > `goatherd.toml` > default.
"""

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from goatherd.errors import DefinitionError, SettingsError
from goatherd.model.retry import Retry
from goatherd.model.schedule import ScheduleRule
from goatherd.model.settings import LOOPBACK, Settings, default_file
from goatherd.model.timing_text import told_timing
from goatherd.model.topology import check_queue_name

PREFIX = "GOATHERD_"
#: Names with our prefix that are no settings: servers for the test suite.
NOT_SETTINGS = ("GOATHERD_TEST_",)
FILE = "goatherd.toml"
#: The table of goatherd.toml with lines that apps have given their names to, and no others.
SCHEDULES = "schedules"
_REDIS = ("redis", "rediss", "redis+sentinel", "rediss+sentinel")
_POSTGRES = ("postgresql", "postgres")
SCHEMES = {
    "broker_url": ("sqlite", "amqp", "amqps"),
    "events_url": ("sqlite", *_REDIS),
    "live_url": _REDIS,
    "records_url": ("sqlite", *_POSTGRES),
    "lanes_url": ("sqlite", *_REDIS, *_POSTGRES),
    "management_url": ("http", "https"),
    "alert_webhook": ("http", "https"),
}
#: Settings whose values are never shown.
SECRETS = ("secret", "alert_webhook", "dashboard_token", "dashboard_read_token")
#: Settings that are lists, written with commas in the environment.
LISTS = ("redact", "dashboard_operators", "dashboard_proxies")
#: What a URL looks like where it cannot be a file.
EXAMPLES = {
    "live_url": "redis://localhost:6379/0",
    "management_url": "http://user:password@host:15672",
    "alert_webhook": "https://chat.example/hooks/goatherd",
}


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
    _check_dashboard(checked, problems)
    if problems:
        raise SettingsError(problems)
    return Settings(app=app, **checked), retry


def read_health_place(sources: Sources) -> tuple[int | None, str]:
    """`health_port` and `health_host` alone, for a process that does not know the app; raises SettingsError."""
    problems: list[str] = []
    # What is wrong with other settings is told by who reads them all.
    told = _merge(sources, [])
    port = _checked("health_port", *told.get("health_port", (None, "")), problems)
    host = _checked("health_host", *told.get("health_host", (LOOPBACK, "")), problems)
    if problems:
        raise SettingsError(problems)
    return port, host


def check_keywords(keywords: Mapping[str, Any]) -> None:
    """Raise SettingsError for a keyword of `Goatherd(...)` that is no setting."""
    unknown = [f"{name!r} is not a setting{_suggestion(name, NAMES)}" for name in keywords if name not in NAMES]
    if unknown:
        raise SettingsError(unknown)


def _merge(sources: Sources, problems: list[str]) -> dict[str, tuple[Any, str]]:
    """Every given value with where it was given; later sources win."""
    values: dict[str, tuple[Any, str]] = {}
    told = _file(sources.file, problems)
    _check_table(told.pop(SCHEDULES, {}), sources.file, problems)
    for name, value in told.items():
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


def _check_table(value: Any, file: Path, problems: list[str]) -> None:
    if not isinstance(value, dict):
        problems.append(f"{SCHEDULES} in {file.name} is {value!r}: it must be a table, [{SCHEDULES}]")


def _checked(name: str, value: Any, where: str, problems: list[str]) -> Any:
    wanted = {field.name: field.type for field in msgspec.structs.fields(Settings)}[name]
    if isinstance(value, str) and name in LISTS:
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return msgspec.convert(value, wanted, strict=False)
    except msgspec.ValidationError as error:
        shown = "not usable" if name in SECRETS else repr(value)
        problems.append(f"{where} is {shown}: {str(error).lower().replace('`', '')}")
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
    # What others find in their URLs is checked by their drivers.
    whole = name != "alert_webhook" or _has_host(url)
    if not separator or scheme.lower() not in schemes or not whole:
        shown = "not usable" if name in SECRETS else repr(without_password(url))
        problems.append(
            f"{name} is {shown}: it must begin with {' or '.join(f'{s}://' for s in schemes)}, "
            f"for example {EXAMPLES.get(name, 'sqlite:///jobs.db')}"
        )


def _has_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        # A port that is no number.
        return False


def _check_queue(name: str, queue: Any, problems: list[str]) -> None:
    try:
        if queue is not None:
            check_queue_name(queue)
    except DefinitionError as error:
        problems.append(f"{name}: {error}")


def _check_dashboard(checked: Mapping[str, Any], problems: list[str]) -> None:
    token = checked.get("dashboard_token")
    if token is not None and token == checked.get("dashboard_read_token"):
        problems.append("dashboard_read_token is the same as dashboard_token, so whoever may look may also act")
    for network in checked.get("dashboard_proxies") or ():
        try:
            ip_network(network)
        except ValueError:
            told = "it must be addresses or networks, for example 10.0.0.7 or 10.0.0.0/8"
            problems.append(f"dashboard_proxies is {network!r}: {told}")


def without_password(url: str) -> str:
    """The URL as it may be shown; also one that is too broken to be taken apart."""
    return re.sub(r":(?!//).*@", ":***@", url, flags=re.DOTALL)


def _suggested_variable(variable: str) -> str:
    """Compared without the prefix, which would make every variable look alike."""
    return _suggestion(variable.removeprefix(PREFIX).lower(), NAMES, lambda name: PREFIX + name.upper())


def _suggestion(name: str, known: Sequence[str], spell: Callable[[str], str] = str) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {spell(near[0])}?" if near else ""


def read_timing(name: str, rule: ScheduleRule, setting: str, sources: Sources) -> ScheduleRule:
    """The rule with the times that a setting says, if it is set; raises SettingsError.

    The setting is an environment variable of that very name; or of the name in capitals, with `_` for whatever is no
    letter and no digit; or a line of `[schedules]` in goatherd.toml. For a cron schedule it is an expression, and `-`
    means never; for others it is a number of seconds, or a text with the unit ms, s, m or h. Empty is not set.
    """
    problems: list[str] = []
    capitals = re.sub(r"[^A-Z0-9]", "_", setting.upper())
    told: list[tuple[Any, str]] = [(sources.environment.get(variable), variable) for variable in (setting, capitals)]
    told.append((_line(_file(sources.file, problems).get(SCHEDULES), setting), f"{setting} in {sources.file.name}"))
    for value, where in told:
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        try:
            return msgspec.structs.replace(rule, timing=told_timing(rule.timing, value))
        except ValueError as error:
            raise SettingsError([f"{where} is {value!r}, for the schedule {name!r}: {error}"]) from error
    if problems:
        raise SettingsError(problems)
    return rule


def _line(table: Any, setting: str) -> Any:
    """A line of a table; if its name has dots, they may have been read as tables in tables."""
    if not isinstance(table, dict):
        return None
    if setting in table:
        return table[setting]
    first, dot, rest = setting.partition(".")
    return _line(table.get(first), rest) if dot else None
