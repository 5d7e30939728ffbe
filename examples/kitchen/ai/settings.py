"""The settings of the AI service: all from the environment, read once, with all mistakes told at once."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_type_hints
from urllib.parse import urlsplit

import msgspec

from goatherd.errors import SettingsError


def _from(variable: str, default: Any = None, *, secret: bool = False) -> Any:
    """A setting and the variable that it comes from; a secret is not shown when settings are printed."""
    return field(default=default, repr=not secret, metadata={"variable": variable})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that may be set."""

    #: Where the jobs wait; without it Goatherd's own settings hold, by default an SQLite file.
    broker_url: str | None = _from("RABBITMQ_URL", secret=True)
    #: The queue of requests.
    queue: str = _from("AI_QUEUE_NAME", "recipe_analysis_request")
    #: Who reads the recipes.
    provider: Literal["offline", "openai"] = _from("AI_PROVIDER", "offline")
    #: Seconds that the provider gets for one answer.
    timeout: float = _from("AI_TIMEOUT", 60.0)
    #: The most characters of a request.
    max_text: int = _from("AI_MAX_TEXT", 50_000)
    #: Faults on purpose, for tests; see mischief.py.
    mischief: str | None = _from("AI_MISCHIEF")

    #: An OpenAI-compatible server, without the /chat/completions at the end.
    base_url: str = _from("AI_BASE_URL", "https://api.openai.com/v1")
    #: Its key; a server of your own may need none.
    api_key: str | None = _from("AI_API_KEY", secret=True)
    #: The language model; one that understands pictures, if there are pictures.
    model: str = _from("AI_MODEL", "gpt-4o-mini")

    #: Pictures at file:// are read from below this folder; without it, no file is.
    picture_folder: str | None = _from("AI_PICTURE_FOLDER")
    #: Pictures are read from these buckets only, if any are named, with commas between them.
    picture_buckets: tuple[str, ...] = _from("AI_PICTURE_BUCKETS", ())
    #: The most bytes of a picture.
    max_picture: int = _from("AI_MAX_PICTURE", 10_000_000)
    #: Seconds within which a picture must be here.
    picture_timeout: float = _from("AI_PICTURE_TIMEOUT", 20.0)
    #: An S3-compatible server; without it, Amazon's.
    s3_endpoint: str | None = _from("AWS_ENDPOINT_URL")
    s3_region: str | None = _from("AWS_REGION")
    s3_key_id: str | None = _from("AWS_ACCESS_KEY_ID", secret=True)
    s3_secret: str | None = _from("AWS_SECRET_ACCESS_KEY", secret=True)
    s3_session_token: str | None = _from("AWS_SESSION_TOKEN", secret=True)


VARIABLES: Mapping[str, str] = {setting.name: setting.metadata["variable"] for setting in fields(Settings)}


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings in force; an empty variable counts as absent. Raises SettingsError with every mistake."""
    problems: list[str] = []
    given: dict[str, Any] = {}
    types = get_type_hints(Settings)
    for name, variable in VARIABLES.items():
        if written := environment.get(variable, "").strip():
            given[name] = _checked(variable, written, types[name], problems)
    problems += _problems_of_addresses(given) + _problems_of_key(given.get("api_key") or "")
    if problems:
        raise SettingsError(problems)
    return Settings(**given)


def _checked(variable: str, written: str, kind: Any, problems: list[str]) -> Any:
    value = [part.strip() for part in written.split(",") if part.strip()] if kind == tuple[str, ...] else written
    try:
        read = msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        problems.append(f"{variable} is {written!r}: {str(error).lower().replace('`', '')}")
        return None
    if isinstance(read, float | int) and not 0 < read < math.inf:
        problems.append(f"{variable} is {written!r}: it must be more than 0")
    return read


def _problems_of_addresses(given: Mapping[str, Any]) -> list[str]:
    # The address is not shown: what is wrong may be that it holds a password.
    form = "must look like https://host/path, without user or password; keys have settings of their own"
    wrong = (name for name in ("base_url", "s3_endpoint") if name in given and not _is_plain_http(given[name]))
    return [f"{VARIABLES[name]} {form}" for name in wrong]


def _problems_of_key(key: str) -> list[str]:
    if key.isascii() and key.isprintable() and " " not in key:
        return []
    return ["AI_API_KEY holds a character that no key has, such as a space or a line break in its middle"]


def _is_plain_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False
