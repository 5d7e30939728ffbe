"""Run the gateway by itself, under uvicorn."""

import asyncio
import contextlib
import logging
import resource
import socket
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from goatherd.errors import MissingExtra, Unavailable
from goatherd.web.crowd import SEND_DEADLINE
from goatherd.web.gateway import Gateway
from goatherd.web.listening import listen_on
from goatherd.web.site import Site

if TYPE_CHECKING:
    from goatherd.web.dashboard.app import Dashboard
    from goatherd.web.dashboard.later import DashboardLater

try:
    import uvicorn
except ImportError as error:
    raise MissingExtra("The gateway", "web") from error

#: Bytes that the kernel takes for a client that does not read, beyond those on their way. By default it takes
#: megabytes, and we would not notice for as long that a client is slow.
UNSENT = 16 * 1024
#: Connections that may wait to be accepted; after another gateway stopped, many come at once.
BACKLOG = 4096
#: Open files of a process beside its clients.
OTHER_FILES = 200
#: Seconds that connections get to end after all have been sent away.
LAST_MOMENT = 5.0

log = logging.getLogger("goatherd.gateway")


def _http() -> type[asyncio.Protocol] | str:
    """How HTTP is spoken: with the shortcut, where the faster parser is there."""
    try:
        from goatherd.web.shortcut import ShortcutProtocol
    except ImportError:
        return "auto"
    return ShortcutProtocol


def listen(host: str, port: int) -> socket.socket:
    """A socket for clients; raises CannotListen."""
    listening = listen_on(host, port, who="The gateway", options="--", backlog=BACKLOG)
    if sys.platform == "linux":
        # Connections inherit both from the socket on which they are accepted.
        listening.setsockopt(socket.IPPROTO_TCP, 25, UNSENT)  # TCP_NOTSENT_LOWAT, which has no name before 3.12
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(SEND_DEADLINE * 1000))
    return listening


def make_room(clients: int) -> None:
    """Let the process have as many connections as it may have clients; says so if the system does not let it."""
    wanted = clients + OTHER_FILES
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if now != resource.RLIM_INFINITY and now < wanted:
        most_now = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most_now, most))
        if most_now < wanted:
            told = (
                "The system lets this process have %d open files, so not all of the %d clients that may come fit in; %s"
            )
            log.warning(told, most_now, clients, "raise the limit (ulimit -n), or lower gateway_connections")


class Server(uvicorn.Server):
    """Serves until it is told to stop, and leaves signals to whoever runs it."""

    def __init__(self, gateway: Gateway, drain: float, dashboard: "Dashboard | DashboardLater | None" = None) -> None:
        self._gateway = gateway
        self._dashboard = dashboard
        self._drain = drain
        self._draining: asyncio.Task[None] | None = None
        self._site = Site(gateway, dashboard)
        super().__init__(
            uvicorn.Config(
                self._site,
                http=_http(),
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,  # an address may have a token in it
                server_header=False,
                proxy_headers=False,  # which proxies the dashboard believes is a setting of ours
                timeout_graceful_shutdown=round(drain + LAST_MOMENT),
            )
        )

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are not for us."""
        yield

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve on these until told to stop; raises SettingsError or MissingExtra."""
        served: Gateway | Dashboard | DashboardLater
        for served in (self._gateway, *([self._dashboard] if self._dashboard else ())):
            try:
                await served.open()
            except Unavailable as error:
                # It is opened again for the first client that comes when the store is back.
                log.warning("The %s has begun, but cannot serve yet: %s", type(served).__name__.lower(), error)
        try:
            await super().serve(sockets)
        finally:
            await asyncio.gather(*([self._draining] if self._draining else []), return_exceptions=True)
            await self._site.close()
            await self._gateway.close()
            if self._dashboard is not None:
                await self._dashboard.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Send those away who would stay, and end what was begun."""
        if self._dashboard is not None:
            await self._dashboard.drain()
        await super().shutdown(sockets)

    def stop(self) -> None:
        """Accept nobody any more, and send everybody away in good time; the second time, at once."""
        seconds = 0.0 if self.should_exit else self._drain
        self.should_exit = True
        self._draining = asyncio.create_task(self._gateway.drain(seconds), name="goatherd gateway drain")
