"""What a process does as a scheduler: fire what is due, flush tallies, take commands in."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from goatherd.engine.ticker import Ticker

if TYPE_CHECKING:
    from goatherd.app import Goatherd

log = logging.getLogger("goatherd.scheduler")


@asynccontextmanager
async def scheduling(app: Goatherd) -> AsyncIterator[None]:
    """Do what begins by itself for an open app, until the block ends."""
    session = app.session()
    async with AsyncExitStack() as life:
        ticker = Ticker((await session.recurring.schedules()).schedules, session, app.declared_schedules())
        session.ticker = ticker
        life.push_async_callback(ticker.stop)
        await ticker.start()
        yield
