"""What ASGI servers say to us, and we to them."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any, Protocol, TypeAlias
from urllib.parse import parse_qsl

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers: TypeAlias = list[tuple[bytes, bytes]]


#: Under this name our own server lets a stream see its connection.
LINE = "goatherd.line"


class Request:
    """What was asked for; only as much of it as anybody here wants to know."""

    __slots__ = ("_headers", "method", "path", "query")

    def __init__(self, scope: Scope) -> None:
        self.method: str = scope["method"]
        self.path = path_in(scope)
        self.query: Mapping[str, str] = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        self._headers = scope["headers"]

    def header(self, name: bytes) -> str:
        """The first header of that name, in small letters; empty if there is none."""
        for key, value in self._headers:
            if key == name:
                return str(value.decode("latin-1"))
        return ""

    def cookie(self, name: str) -> str:
        """The first cookie of that name; empty if there is none."""
        for key, value in self._headers:
            if key == b"cookie":
                for pair in value.decode("latin-1").split(";"):
                    told, _, worth = pair.partition("=")
                    if told.strip() == name:
                        return str(worth.strip().strip('"'))
        return ""


class Line(Protocol):
    """A connection that pieces of a response can be written to as they are; see `shortcut`."""

    def offer(self, piece: bytes) -> bool:
        """Write it, in the form that a part of a body has on the wire, if it is taken at once; false if it is not."""


def line_in(scope: Scope) -> Line | None:
    """The connection of a request; None if the server is another than ours."""
    line: Line | None = (scope.get("extensions") or {}).get(LINE)
    return line


def path_in(scope: Scope) -> str:
    """The path below the one that we are mounted at."""
    path, root = str(scope["path"]), str(scope.get("root_path", "")).rstrip("/")
    # Whoever mounts us either leaves its own part in the path, as the standard says, or takes it away.
    return path[len(root) :] if root and path.startswith(root + "/") else path
