"""The apps that are open on the I/O thread, each from its first verb to the end."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

from goatherd.app import Goatherd
from goatherd.roles import Role
from goatherd.sync.errand import Errand
from goatherd.sync.kept import Kept

#: Seconds that verbs under way get to end when their app is closed.
LAST_MOMENTS = 2.0

log = logging.getLogger("goatherd.sync")


class OpenApp:
    """One app, open or being opened."""

    def __init__(self, app: Goatherd, before: "OpenApp | None") -> None:
        self._app = app
        self._before = before
        # A test puts other surroundings into the app's place; what is open then belongs to another world.
        self._settings, self._opener = app.settings, app.opener
        #: The verbs under way.
        self.verbs: set[Errand[Any]] = set()
        self.served: list[Kept] = []
        self._closing = False
        self._kept = Kept(self, f"app {app.name} on the I/O thread")

    @property
    def is_ready(self) -> bool:
        """Whether verbs can use it now."""
        return self._kept.is_entered and not self.is_over

    @property
    def is_over(self) -> bool:
        """Whether another must be opened in its place."""
        if self._closing or self._kept.is_over:
            return True
        return self._app.settings is not self._settings or self._app.opener is not self._opener

    async def __aenter__(self) -> None:
        # The app has one session for a loop, so that of other surroundings must be gone first.
        before, self._before = self._before, None
        if before is not None:
            await before.close()
        await self._app.__aenter__()

    async def __aexit__(self, *_: object) -> None:
        await self._app.__aexit__(None, None, None)

    async def opened(self) -> None:
        """Return when verbs can use it; raises what opening raised."""
        await self._kept.entered()

    async def close(self) -> None:
        """Let verbs under way end, for a moment; stop what is served; close the app."""
        self._closing = True
        under_way = [verb.task for verb in self.verbs if verb.task is not None]
        if under_way:
            _, too_slow = await asyncio.wait(under_way, timeout=LAST_MOMENTS)
            for task in too_slow:
                task.cancel()
        try:
            while self.served:
                await self.served.pop().leave()
        finally:
            await self._kept.leave()


class OpenApps:
    """Belongs to the I/O thread's event loop."""

    def __init__(self) -> None:
        self._open: dict[Goatherd, OpenApp] = {}

    def ready(self, app: Goatherd) -> OpenApp | None:
        """The app, if verbs can use it now."""
        found = self._open.get(app)
        return found if found is not None and found.is_ready else None

    async def open(self, app: Goatherd) -> OpenApp:
        """The app, opened; those who come while it is being opened share the attempt and its failure."""
        while True:
            found = self._open.get(app)
            if found is None or found.is_over:
                found = self._open[app] = OpenApp(app, found)
            await found.opened()
            # It may have been closed in the same moment.
            if found.is_ready:
                return found

    async def serve(self, app: Goatherd, roles: Sequence[Role]) -> Kept:
        """Run roles of an open app until they are stopped."""
        kept = Kept(app.serve(*roles), f"app {app.name} serving {', '.join(roles)} on the I/O thread")
        served = self._open[app].served
        served.append(kept)
        try:
            await kept.entered()
        except BaseException:
            served.remove(kept)
            await kept.leave()
            raise
        return kept

    async def stop(self, app: Goatherd, kept: Kept) -> None:
        """Stop what `serve` gave; nothing happens if it is stopped already."""
        found = self._open.get(app)
        if found is not None and kept in found.served:
            found.served.remove(kept)
        await kept.leave()

    @property
    def grace_period(self) -> float:
        """Seconds that what is served may take to stop; read by other threads, too."""
        serving = [app.settings.grace_period for app, found in list(self._open.items()) if found.served]
        return max(serving, default=0.0)

    async def close(self, app: Goatherd) -> None:
        """Close one app; the next verb opens it anew."""
        found = self._open.pop(app, None)
        if found is not None:
            await found.close()

    async def close_all(self) -> None:
        """Close every app; what goes wrong is logged."""
        apps = list(self._open)
        outcomes = await asyncio.gather(*map(self.close, apps), return_exceptions=True)
        for app, outcome in zip(apps, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                log.error("The app %r was not closed in good order: %s", app.name, outcome, exc_info=outcome)
