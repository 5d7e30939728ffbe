"""Just enough of HTTP/1.1: requests are read whole, answers are written at once or in chunks."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a client asks."""

    method: str
    #: The parts of the path, without `.json`.
    path: tuple[str, ...]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    #: As it was written, for those who are sent elsewhere.
    target: str

    @property
    def wants_stream(self) -> bool:
        """Whether it asks to be told of changes."""
        return "text/event-stream" in self.headers.get("accept", "")

    @property
    def token(self) -> str | None:
        """Who it says it is."""
        kind, _, bearer = self.headers.get("authorization", "").partition(" ")
        return self.query.get("auth") or (bearer if kind.lower() == "bearer" else None)


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    """The next one on a connection; None if there is none any more."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, OSError):
        return None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    parts = urlsplit(target)
    path = tuple(unquote(part) for part in parts.path.removesuffix(".json").split("/") if part)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    return Request(method=method, path=path, query=query, headers=headers, body=body, target=target)


def answer(status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> bytes:
    """A whole answer."""
    told = {"Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(body)), **(headers or {})}
    if status == HTTPStatus.NO_CONTENT:
        del told["Content-Type"]
    return _head(status, told) + body


def stream_head() -> bytes:
    """The beginning of an answer that has no end."""
    return _head(
        200,
        {
            "Content-Type": "text/event-stream; charset=utf-8",
            "Cache-Control": "no-cache",
            "Transfer-Encoding": "chunked",
        },
    )


def chunk(body: bytes) -> bytes:
    """A piece of it."""
    return f"{len(body):x}\r\n".encode() + body + b"\r\n"


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
