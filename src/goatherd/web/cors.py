"""Pages of other origins: only those that were named may read our streams."""

from collections.abc import Iterable

from goatherd.errors import DefinitionError
from goatherd.web.asgi import Headers, Request
from goatherd.web.responses import Refusal, Response

#: Seconds for which a browser need not ask again.
REMEMBERED = 600


class Cors:
    """The origins that may, each spelled exactly as browsers do: `https://shop.example`."""

    def __init__(self, origins: Iterable[str]) -> None:
        self._origins = frozenset(origins)
        wrong = [origin for origin in self._origins if "://" not in origin or origin.count("/") != 2 or "*" in origin]
        if wrong:
            raise DefinitionError(
                f"cors= takes exact origins such as 'https://shop.example', without a path or a star; "
                f"{', '.join(map(repr, sorted(wrong)))} is none."
            )

    def headers(self, request: Request) -> Headers:
        """What every response to a request has."""
        if not self._origins:
            return []
        origin = request.header(b"origin")
        if origin not in self._origins:
            return [(b"vary", b"Origin")]
        return [
            (b"vary", b"Origin"),
            (b"access-control-allow-origin", origin.encode("latin-1")),
            (b"access-control-allow-credentials", b"true"),
            (b"access-control-expose-headers", b"Retry-After"),
        ]

    def preflight(self, request: Request) -> Response:
        """May it ask? Raises Refusal."""
        if request.header(b"origin") not in self._origins:
            raise Refusal(403, "Pages of this origin may not read streams here.")
        return Response(
            status=204,
            headers=[
                (b"access-control-allow-methods", b"GET, HEAD, OPTIONS"),
                (b"access-control-allow-headers", b"Authorization, Last-Event-ID, Cache-Control"),
                (b"access-control-max-age", str(REMEMBERED).encode()),
            ],
        )
