"""The crawler's settings, all from the environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import msgspec

from examples.kitchen.crawler.limits import Limits

PREFIX = "CRAWLER_"


class SettingsMistake(ValueError):
    """A variable of the environment that cannot be used."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings in force."""

    #: RABBITMQ_URL; None leaves the choice to Goatherd's own setting.
    broker_url: str | None = None
    #: RABBITMQ_CRAWLING_REQUEST_QUEUE
    request_queue: str = "crawling_request_queue"
    #: RABBITMQ_CRAWLING_RESPONSE_QUEUE
    response_queue: str = "crawling_response_queue"
    #: CRAWLER_ALLOW_PRIVATE: visit this machine and private networks too; never the metadata of cloud providers.
    allow_private: bool = False
    #: CRAWLER_USER_AGENT: what sites see; robots.txt names us by its first word.
    user_agent: str = "KitchenCrawler/1.0"
    #: CRAWLER_<NAME OF A LIMIT>, for each of them
    limits: Limits = field(default_factory=Limits)


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read the environment; raises SettingsMistake, which names the variable."""
    own = {name.removeprefix(PREFIX).lower(): value for name, value in environment.items() if name.startswith(PREFIX)}
    shared = {
        "broker_url": environment.get("RABBITMQ_URL"),
        "request_queue": environment.get("RABBITMQ_CRAWLING_REQUEST_QUEUE"),
        "response_queue": environment.get("RABBITMQ_CRAWLING_RESPONSE_QUEUE"),
        "allow_private": own.pop("allow_private", None),
        "user_agent": own.pop("user_agent", None),
    }
    told = {name: value for name, value in shared.items() if value}
    return _converted({**told, "limits": _checked_names(own)})


def _checked_names(limits: dict[str, str]) -> dict[str, str]:
    known = [limit.name for limit in fields(Limits)]
    for name in limits:
        if name not in known:
            there_are = ", ".join(PREFIX + limit.upper() for limit in ["allow_private", "user_agent", *known])
            raise SettingsMistake(f"{PREFIX}{name.upper()} is not a setting of the crawler. There are {there_are}.")
    return limits


def _converted(told: dict[str, object]) -> Settings:
    try:
        return msgspec.convert(told, Settings, strict=False)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        name = where.strip("`").split(".")[-1].upper()
        raise SettingsMistake(f"{PREFIX}{name}: {what}.") from error
