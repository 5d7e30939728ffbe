"""The dashboard, made when somebody first looks at it: its framework takes a second to load, and in development a
process begins often."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from goatherd.web.asgi import Receive, Scope, Send
from goatherd.web.dashboard.mounting import dashboard

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.web.dashboard.app import Dashboard


class DashboardLater:
    """Is to its server what a dashboard is."""

    def __init__(self, app: Goatherd, *, open_to_all: bool) -> None:
        self._app = app
        self._open_to_all = open_to_all
        self._making: asyncio.Task[Dashboard] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; the first waits for all to be loaded, and the loop goes on meanwhile."""
        if self._making is None:
            made = asyncio.to_thread(dashboard, self._app, open_to_all=self._open_to_all)
            self._making = asyncio.create_task(made, name="goatherd dashboard")
        # Who hangs up leaves alone.
        await (await asyncio.shield(self._making))(scope, receive, send)

    async def open(self) -> None:
        """Nothing is opened before somebody comes."""

    async def drain(self) -> None:
        """Send those away who watch a job."""
        if self._making is not None and self._making.done() and not self._making.exception():
            await self._making.result().drain()

    async def close(self) -> None:
        """Let go of what was opened."""
        if self._making is not None:
            # One that could not be made was told to who asked for it.
            [made] = await asyncio.gather(self._making, return_exceptions=True)
            if not isinstance(made, BaseException):
                await made.close()
