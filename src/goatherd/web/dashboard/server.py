"""Run the dashboard by itself, under uvicorn."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Iterator

import uvicorn

from goatherd.engine.health import DEADLINE
from goatherd.errors import GoatherdError, Unavailable
from goatherd.model.health import Health
from goatherd.web.asgi import Receive, Scope, Send, path_in
from goatherd.web.control.asked import Asked
from goatherd.web.control.visitor import NotAllowed, NotSignedIn
from goatherd.web.dashboard.app import Dashboard
from goatherd.web.health_answers import liveness, readiness, told_as_json, unready
from goatherd.web.listening import listen_on
from goatherd.web.responses import Response

BACKLOG = 256
#: Seconds that requests get to end when it is told to stop.
LAST_MOMENT = 3

log = logging.getLogger("goatherd.dashboard")


def listen(host: str, port: int) -> socket.socket:
    """A socket for browsers; raises CannotListen."""
    return listen_on(host, port, who="The dashboard", options="--", backlog=BACKLOG)


class DashboardSite:
    """The dashboard, and `/livez` and `/readyz`, which need no token but tell those who have none only yes or no."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            match path_in(scope):
                case "/livez":
                    await liveness(None).send([], receive, send)
                    return
                case "/readyz":
                    await (await self._readiness(scope)).send([], receive, send)
                    return
        await self._dashboard(scope, receive, send)

    async def _readiness(self, scope: Scope) -> Response:
        health = await self._health()
        try:
            self._dashboard.doors.visitor(Asked(scope, self._dashboard.doors.proxies))
        except (NotSignedIn, NotAllowed):
            return told_as_json(200 if health.ready else 503, {"ready": health.ready})
        return readiness(health, ["dashboard"])

    async def _health(self) -> Health:
        try:
            async with asyncio.timeout(DEADLINE + 0.5):
                return await (await self._dashboard.opened.app()).health()
        except TimeoutError:
            return unready(f"the stores did not answer within {DEADLINE:g} s")
        except GoatherdError as error:
            return unready(str(error))


class DashboardServer(uvicorn.Server):
    """Serves until it is told to stop, and leaves signals to whoever runs it."""

    def __init__(self, dashboard: Dashboard) -> None:
        self._dashboard = dashboard
        super().__init__(
            uvicorn.Config(
                DashboardSite(dashboard),
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # which proxies are believed is a setting of ours
                timeout_graceful_shutdown=LAST_MOMENT,
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are not for us."""
        yield

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve on these until told to stop; raises SettingsError or MissingExtra."""
        try:
            await self._dashboard.open()
        except Unavailable as error:
            # It is opened again for the first who comes when the stores are back.
            log.warning("The dashboard has begun, but cannot show anything yet: %s", error)
        try:
            await super().serve(sockets)
        finally:
            await self._dashboard.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Send those away who would stay, and end what was begun."""
        await self._dashboard.drain()
        await super().shutdown(sockets)

    def stop(self) -> None:
        """Accept nobody any more; the second time, wait for nobody."""
        self.force_exit = self.should_exit
        self.should_exit = True
