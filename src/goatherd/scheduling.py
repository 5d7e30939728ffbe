"""What a process does as a scheduler: fire what is due, flush tallies, take commands in."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from goatherd.engine.firing import Firings
from goatherd.engine.ticker import Ticker
from goatherd.model.task import TaskDefinition
from goatherd.session import Session

if TYPE_CHECKING:
    from goatherd.app import Goatherd

log = logging.getLogger("goatherd.scheduler")


@asynccontextmanager
async def scheduling(app: Goatherd) -> AsyncIterator[None]:
    """Do what begins by itself for an open app, until the block ends."""
    session = app.session()
    async with AsyncExitStack() as life:
        session.ticker = ticker = await make_ticker(app, session)
        life.push_async_callback(ticker.stop)
        await ticker.start()
        told = ", ".join(sorted(app.ticks)) or "none of the program's own"
        log.info("Schedules: %s", told)
        yield
    session.ticker = None


async def make_ticker(app: Goatherd, session: Session) -> Ticker:
    """What fires for an app, not started yet; raises DefinitionError, SettingsError or Unavailable."""

    def find(task: str, queue: str) -> TaskDefinition | None:
        known = app.tasks.get(task)
        return None if known is None else replace(known.definition, queue=queue)

    firings = Firings(session.runs, {name: tick.pipeline for name, tick in app.ticks.items()}, find, session.send)
    schedules = (await session.recurring.schedules()).schedules
    return Ticker(schedules, app.declared_schedules(), firings, app.settings.history_days * 86_400.0)
