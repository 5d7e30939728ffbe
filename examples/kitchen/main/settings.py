"""The settings of the main program: all from the environment, read once, with all mistakes told at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, get_type_hints

import msgspec
from msgspec import Meta

from goatherd.errors import SettingsError

Name = Annotated[str, Meta(min_length=1)]
Port = Annotated[int, Meta(ge=0, le=65535)]
Seconds = Annotated[float, Meta(gt=0, le=3600)]
Count = Annotated[int, Meta(ge=1)]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    #: Where the jobs wait; without it Goatherd's own settings hold, by default an SQLite file.
    broker_url: str | None = field(default=None, repr=False)
    #: The queue from which the crawler takes requests.
    crawl_requests: Name = "crawling_request_queue"
    #: The queue on which it answers.
    crawl_responses: Name = "crawling_response_queue"
    #: The queue from which the AI service takes requests.
    ai_queue: Name = "recipe_analysis_request"

    #: The address that HTTP is served on.
    host: Name = "127.0.0.1"
    #: Its port; 0 takes a free one.
    port: Port = 8000
    #: Seconds that a client waits for the AI service, at the most.
    ai_seconds: Seconds = 100.0
    #: Seconds that a client waits for a crawl or a ping, at the most.
    crawl_seconds: Seconds = 30.0
    #: Bytes that the body of a request may have.
    most_bytes: Count = 500_000


VARIABLES: Mapping[str, str] = {
    "broker_url": "RABBITMQ_URL",
    "crawl_requests": "RABBITMQ_CRAWLING_REQUEST_QUEUE",
    "crawl_responses": "RABBITMQ_CRAWLING_RESPONSE_QUEUE",
    "ai_queue": "AI_QUEUE_NAME",
    "host": "KITCHEN_HOST",
    "port": "KITCHEN_PORT",
    "ai_seconds": "KITCHEN_AI_SECONDS",
    "crawl_seconds": "KITCHEN_CRAWL_SECONDS",
    "most_bytes": "KITCHEN_MAX_BODY",
}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; an empty variable counts as absent. Raises SettingsError with every mistake."""
    problems: list[str] = []
    given: dict[str, Any] = {}
    types = get_type_hints(Settings, include_extras=True)
    for name, variable in VARIABLES.items():
        if written := environment.get(variable, "").strip():
            try:
                given[name] = msgspec.convert(written, types[name], strict=False)
            except msgspec.ValidationError as error:
                problems.append(f"{variable} is {written!r}: {str(error).lower().replace('`', '')}")
    if problems:
        raise SettingsError(problems)
    return Settings(**given)
