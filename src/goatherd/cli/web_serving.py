"""Serve browsers in a process that has other roles, too: streams, the dashboard, or both at one address."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from socket import socket
from typing import TYPE_CHECKING

import msgspec

from goatherd.app import Goatherd
from goatherd.cli.duties import Duties
from goatherd.cli.orders import Orders

if TYPE_CHECKING:
    from goatherd.web.dashboard.app import Dashboard
    from goatherd.web.dashboard.later import DashboardLater
    from goatherd.web.dashboard.server import DashboardServer
    from goatherd.web.server import Server

log = logging.getLogger("goatherd.worker")

#: The roles that are served at the address of the process.
SERVED = frozenset({"gateway", "dashboard"})


@asynccontextmanager
async def serving_browsers(app: Goatherd, duties: Duties, orders: Orders) -> AsyncIterator[None]:
    """Serve them until the block ends."""
    if duties.open_to_all and app.settings.secret is None:
        # Programs that make tokens work here, too; nobody looks at them.
        app.settings = msgspec.structs.replace(app.settings, secret=secrets.token_urlsafe(32))
    with _listening(duties) as listening:
        server = _server(app, duties, listening)
        serving = asyncio.create_task(server.serve([listening]), name="goatherd web")
        serving.add_done_callback(lambda _: orders.stop("the web server has ended"))
        try:
            yield
        finally:
            server.stop()
            await serving


def _server(app: Goatherd, duties: Duties, listening: socket) -> Server | DashboardServer:
    from goatherd.web.listening import shown_address

    address = shown_address(listening)
    if "dashboard" in duties.roles:
        log.info("Dashboard at http://%s/", address)
    if "gateway" not in duties.roles:
        from goatherd.web.dashboard.server import DashboardServer

        return DashboardServer(_dashboard(app, duties))
    from goatherd.web.gateway import Gateway
    from goatherd.web.server import Server
    from goatherd.web.site import PREFIX

    gateway = Gateway([app], open_to_all=duties.open_to_all)
    gateway.access.check_secrets()
    log.info("Streams at http://%s%s/%s/{job}/events", address, PREFIX, app.name)
    drain = 0.0 if duties.open_to_all else app.settings.gateway_drain
    return Server(gateway, drain, _dashboard_beside(app, duties))


def _dashboard_beside(app: Goatherd, duties: Duties) -> Dashboard | DashboardLater | None:
    """In development it is made when it is looked at, so that whoever saves a file does not wait for it."""
    if "dashboard" not in duties.roles:
        return None
    if not duties.open_to_all:
        return _dashboard(app, duties)
    from goatherd.web.dashboard.later import DashboardLater

    return DashboardLater(app, open_to_all=True)


def _dashboard(app: Goatherd, duties: Duties) -> Dashboard:
    from goatherd.cli.dashboard import warn_of_closed_doors
    from goatherd.web.dashboard import dashboard

    made = dashboard(app, open_to_all=duties.open_to_all)
    warn_of_closed_doors(made)
    return made


def _listening(duties: Duties) -> socket:
    from goatherd.web.listening import CannotListen
    from goatherd.web.server import listen

    try:
        return listen(duties.host, duties.port)
    except CannotListen as error:
        if not duties.open_to_all:
            raise
        log.warning("%s Another port is taken instead", error)
        return listen(duties.host, 0)
