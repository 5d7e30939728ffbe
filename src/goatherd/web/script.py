"""goatherd.js, for pages that watch jobs."""

import hashlib
from functools import cache
from importlib.resources import files

from goatherd.web.asgi import Request
from goatherd.web.responses import Response


@cache
def _script() -> tuple[bytes, bytes]:
    body = (files("goatherd.web") / "static" / "goatherd.js").read_bytes()
    return body, b'"' + hashlib.sha256(body).hexdigest()[:32].encode() + b'"'


def script(request: Request) -> Response:
    """The module itself, or that the client's copy is good; it is no secret, so pages of any origin may use it."""
    body, tag = _script()
    headers = [
        (b"etag", tag),
        (b"cache-control", b"no-cache"),
        (b"x-content-type-options", b"nosniff"),
        (b"access-control-allow-origin", b"*"),
    ]
    if request.header(b"if-none-match") == tag.decode():
        return Response(status=304, headers=headers, type=b"text/javascript; charset=utf-8")
    return Response(status=200, headers=headers, body=body, type=b"text/javascript; charset=utf-8")
