"""The gateway as a web site of its own: the streams under a prefix, and what operators ask for beside them.

Where the dashboard runs in the same process, it has all other addresses.
"""

from datetime import UTC, datetime

from goatherd.engine.health import DEADLINE
from goatherd.engine.probes import Probes
from goatherd.model.health import Health
from goatherd.web.asgi import ASGIApp, Receive, Scope, Send, path_in
from goatherd.web.gateway import Gateway
from goatherd.web.health_answers import liveness, readiness, unready
from goatherd.web.metrics import CONTENT_TYPE
from goatherd.web.responses import Response

PREFIX = "/api/v1"
OWN = ("/livez", "/readyz", "/metrics")


class Site:
    """An ASGI app with `/api/v1/…`, `/metrics`, `/livez` and `/readyz`."""

    def __init__(self, gateway: Gateway, dashboard: ASGIApp | None = None) -> None:
        self._gateway = gateway
        self._dashboard = dashboard
        self._probes = Probes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        if scope["type"] == "http":
            path = path_in(scope)
            if not path.startswith(PREFIX + "/"):
                if self._dashboard is not None and path not in OWN:
                    await self._dashboard(scope, receive, send)
                    return
                await (await self._answer(path)).send([], receive, send)
                return
            scope["root_path"] = scope.get("root_path", "").rstrip("/") + PREFIX
        await self._gateway(scope, receive, send)

    async def _answer(self, path: str) -> Response:
        match path:
            case "/livez":
                return liveness(None)
            case "/readyz":
                return readiness(await self._health(), ["gateway"])
            case "/metrics":
                return Response(status=200, body=self._gateway.metrics_text().encode(), type=CONTENT_TYPE)
        return Response(status=404, body=f"There is nothing here; streams are under {PREFIX}.\n".encode())

    async def _health(self) -> Health:
        """Whether clients can be served now."""
        if self._gateway.place.crowd.draining:
            return unready("the process is about to stop")
        answers = await self._probes.ask(self._gateway.questions(), DEADLINE)
        reasons = [f"{each.port}: {each.trouble}" for each in answers if each.trouble is not None]
        return Health(
            ready=not reasons,
            reasons=reasons,
            ports={each.port: "up" if each.trouble is None else "down" for each in answers},
            queues={},
            loop_alive=True,
            last_heartbeat=datetime.now(UTC),
        )

    async def close(self) -> None:
        """Ask no more whether events can be read."""
        await self._probes.close()
