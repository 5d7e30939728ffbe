"""The app, opened on the loop that serves, when it is first needed."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from weakref import WeakKeyDictionary

from goatherd.app import Goatherd
from goatherd.errors import Unavailable
from goatherd.reporting import Part, reporting

#: Seconds that the app's stores may take to be opened; less than a page may take, which then says why.
DEADLINE = 8.0

log = logging.getLogger("goatherd.dashboard")


class Opened:
    """One opening on each loop: what is open belongs to the loop on which it was opened."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[None]] = WeakKeyDictionary()
        self._holders: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[Goatherd]] = WeakKeyDictionary()

    async def app(self) -> Goatherd:
        """The app, open on this loop; raises Unavailable, SettingsError or MissingExtra."""
        loop = asyncio.get_running_loop()
        if loop not in self._holders:
            if loop not in self._opening:
                self._opening[loop] = asyncio.create_task(self._open(), name="goatherd dashboard opens its stores")
                self._opening[loop].add_done_callback(self._tried)
            # Whoever comes meanwhile waits for the same, and not for one attempt after the other; who hangs up leaves
            # the others alone.
            await asyncio.shield(self._opening[loop])
        return self._app

    async def _open(self) -> None:
        # Held open by a generator, which the loop closes when it ends: a server that we are mounted in does not tell
        # us when that is.
        holder = _held(self._app)
        try:
            async with asyncio.timeout(DEADLINE):
                await anext(holder)
        except TimeoutError as error:
            raise Unavailable(f"The stores of app {self._app.name!r} did not open within {DEADLINE:g} s.") from error
        self._holders[asyncio.get_running_loop()] = holder

    def _tried(self, opening: asyncio.Task[None]) -> None:
        del self._opening[opening.get_loop()]
        if not opening.cancelled() and (error := opening.exception()) is not None:
            log.debug("The dashboard could not open its stores: %s", error)

    async def close(self) -> None:
        """Let go of what was opened on this loop."""
        loop = asyncio.get_running_loop()
        if loop in self._opening:
            opening = self._opening[loop]
            opening.cancel()
            await asyncio.wait({opening})
        holder = self._holders.pop(loop, None)
        if holder is not None:
            await holder.aclose()


async def _held(app: Goatherd) -> AsyncGenerator[Goatherd]:
    async with app:
        session = app.session()
        session.roles.add("dashboard")
        try:
            async with reporting(app, Part(role="dashboard")):
                yield app
        finally:
            session.roles.discard("dashboard")
