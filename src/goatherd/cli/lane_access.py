"""Open the lanes of an app, without its broker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.lanes import LaneOperations

key_argument = click.argument("key")


@asynccontextmanager
async def opened_lanes(app: Goatherd) -> AsyncIterator[LaneOperations]:
    """The lanes of an app, without its broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring import open_lanes

    opened = await open_lanes(app.settings, SystemClock())
    try:
        yield opened.operations
    finally:
        await opened.lanes.close()
