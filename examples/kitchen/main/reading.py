"""Read what a client sent, and say what is wrong with it."""

from typing import Annotated, TypeVar
from urllib.parse import urlsplit

import msgspec
from flask import request
from msgspec import Meta

LONGEST_ADDRESS = 2000
Address = Annotated[str, Meta(min_length=1, max_length=LONGEST_ADDRESS)]

_Read = TypeVar("_Read")


class BadInput(Exception):
    """The request cannot be understood: the text says why."""


class RecipeInput(msgspec.Struct, frozen=True):
    """A recipe's text, under either name."""

    user_input: str | None = None
    text: str | None = None

    @property
    def recipe(self) -> str:
        """The text; raises BadInput if there is none, or two."""
        given = [text for text in (self.user_input, self.text) if text is not None and text.strip()]
        if len(given) != 1:
            raise BadInput('Give the recipe\'s text: {"user_input": text}; "text" may be written for "user_input".')
        return given[0]


class ImageInput(msgspec.Struct, frozen=True):
    """Where a picture is, and a few words about it."""

    s3_url: Address
    description: str = ""


class CrawlInput(msgspec.Struct, frozen=True):
    """Where to begin, and how far to go."""

    url: Address
    depth: Annotated[int, Meta(ge=0, le=1000)] = 1
    sync: bool | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("`url` must look like https://host/path")


class PingInput(msgspec.Struct, frozen=True):
    """Nothing need be said."""

    sync: bool | None = None


def read_body(kind: type[_Read]) -> _Read:
    """The JSON object that the client sent; raises BadInput."""
    body = request.get_data() or b"{}"
    try:
        str(body, "utf-8")  # the decoder passes over what it does not know, broken or not
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise BadInput(f"The body must be a JSON object of the right form: {_told(error)}.") from error


def wants_to_wait(said: bool | None, *, otherwise: bool) -> bool:
    """Whether the client wants the answer itself: `?sync=1` wins over "sync" in the body; raises BadInput."""
    written = request.args.get("sync")
    if written is None:
        return otherwise if said is None else said
    if written.lower() in ("", "1", "true", "yes"):
        return True
    if written.lower() in ("0", "false", "no"):
        return False
    raise BadInput("sync must be 1 or 0.")


def _told(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    return str(error).replace("`", "").removesuffix(" - at $").rstrip(".")
