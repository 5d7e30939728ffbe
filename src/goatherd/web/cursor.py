"""Where a client wants to go on from."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from goatherd.model.event import BEGINNING, Position
from goatherd.web.asgi import Request
from goatherd.web.responses import Refusal


@dataclass(frozen=True)
class AfterToken:
    """After the token with this number, in whatever epoch."""

    seq: int


#: A position, the number of a token, the job as it stands (None), or only what comes from now on.
Cursor: TypeAlias = Position | AfterToken | Literal["now"] | None


def cursor_in(request: Request) -> Cursor:
    """What a request says; raises Refusal. The header wins: a browser sends it by itself when it comes back."""
    told = id_in(request)
    if told:
        return _position(told)
    return _after_token(request.query.get("last_token_seq", ""))


def id_in(request: Request) -> str:
    """The id of the last event that a client has, or a word for it; empty if it says none."""
    told = request.header(b"last-event-id")
    for name in ("last_event_id", "after"):
        told = told or request.query.get(name, "")
    return told


def _position(told: str) -> Cursor:
    if told == "earliest":
        return BEGINNING
    if told == "now":
        return "now"
    try:
        return Position.parse(told)
    except ValueError as error:
        raise Refusal(400, f"{error}; or give `earliest` or `now`.") from error


def _after_token(told: str) -> AfterToken | None:
    if not told:
        return None
    if not (told.isascii() and told.isdecimal() and len(told) <= 15):
        raise Refusal(400, "last_token_seq is the seq of the last token that was received: a whole number.")
    return AfterToken(int(told))
