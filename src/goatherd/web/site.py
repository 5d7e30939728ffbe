"""The gateway as a web site of its own: the streams under a prefix, and what operators ask for beside them."""

from goatherd.errors import GoatherdError
from goatherd.web.asgi import Receive, Scope, Send, path_in
from goatherd.web.gateway import Gateway
from goatherd.web.metrics import CONTENT_TYPE
from goatherd.web.responses import Response

PREFIX = "/api/v1"


class Site:
    """An ASGI app with `/api/v1/…`, `/metrics`, `/livez` and `/readyz`."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        if scope["type"] == "http":
            path = path_in(scope)
            if not path.startswith(PREFIX + "/"):
                await (await self._answer(path)).send([], receive, send)
                return
            scope["root_path"] = scope.get("root_path", "").rstrip("/") + PREFIX
        await self._gateway(scope, receive, send)

    async def _answer(self, path: str) -> Response:
        match path:
            case "/livez":
                return Response(status=200, body=b"alive\n")
            case "/readyz":
                return await self._readiness()
            case "/metrics":
                return Response(status=200, body=self._gateway.metrics_text().encode(), type=CONTENT_TYPE)
        return Response(status=404, body=f"There is nothing here; streams are under {PREFIX}.\n".encode())

    async def _readiness(self) -> Response:
        """Whether clients can be served now."""
        if self._gateway.place.crowd.draining:
            return Response(status=503, body=b"not ready: about to stop\n")
        try:
            await self._gateway.look()
        except GoatherdError as error:
            return Response(status=503, body=f"not ready: {error}\n".encode())
        return Response(status=200, body=b"ready\n")
