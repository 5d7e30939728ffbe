"""The app, opened on the loop that serves, when it is first needed."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from weakref import WeakKeyDictionary

from goatherd.app import Goatherd
from goatherd.errors import Unavailable
from goatherd.reporting import Part, reporting

#: Seconds that the app's stores may take to be opened.
DEADLINE = 10.0

log = logging.getLogger("goatherd.dashboard")


class Opened:
    """One opening on each loop: what is open belongs to the loop on which it was opened."""

    def __init__(self, app: Goatherd) -> None:
        self._app = app
        self._opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._holders: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncGenerator[Goatherd]] = WeakKeyDictionary()

    async def app(self) -> Goatherd:
        """The app, open on this loop; raises Unavailable, SettingsError or MissingExtra."""
        loop = asyncio.get_running_loop()
        if loop not in self._holders:
            async with self._opening.setdefault(loop, asyncio.Lock()):
                if loop not in self._holders:
                    # Held open by a generator, which the loop closes when it ends: a server that we are mounted in
                    # does not tell us when that is.
                    holder = _held(self._app)
                    await self._begin(holder)
                    self._holders[loop] = holder
        return self._app

    async def _begin(self, holder: AsyncGenerator[Goatherd]) -> None:
        try:
            async with asyncio.timeout(DEADLINE):
                await anext(holder)
        except TimeoutError as error:
            raise Unavailable(f"The stores of app {self._app.name!r} did not open within {DEADLINE:g} s.") from error

    async def close(self) -> None:
        """Let go of what was opened on this loop."""
        holder = self._holders.pop(asyncio.get_running_loop(), None)
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
