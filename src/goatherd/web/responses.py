"""Responses that are sent in one piece."""

from dataclasses import dataclass, field

from goatherd.web.asgi import Headers, Receive, Send

TEXT = b"text/plain; charset=utf-8"
#: A token may stand in the address, which no other site should learn.
PRIVATE: Headers = [(b"cache-control", b"no-store"), (b"referrer-policy", b"no-referrer")]


@dataclass(frozen=True, kw_only=True)
class Response:
    """A status, what to say, and headers beside the usual ones."""

    status: int
    body: bytes = b""
    type: bytes = TEXT
    headers: Headers = field(default_factory=list)

    async def send(self, headers: Headers, receive: Receive, send: Send) -> None:
        """Send it, with headers that every response has; of what `HEAD` asks for, the server leaves out the body."""
        headers = [*self.headers, *headers]
        if self.status not in (204, 304):
            headers += [(b"content-type", self.type), (b"content-length", str(len(self.body)).encode())]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


class Refusal(Exception):
    """Raised where a request cannot be served; carries what is answered."""

    def __init__(self, status: int, text: str, headers: Headers | None = None) -> None:
        super().__init__(text)
        self.response = Response(status=status, body=f"{text}\n".encode(), headers=[*PRIVATE, *(headers or ())])


def busy(status: int, text: str, retry_after: float) -> Refusal:
    """Not now, but soon."""
    return Refusal(status, text, [(b"retry-after", str(max(1, round(retry_after))).encode())])
