"""Open what is on record of an app's listeners."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.ports.listeners import ListenerRecords


@asynccontextmanager
async def opened_listeners(app: Goatherd) -> AsyncIterator[ListenerRecords]:
    """The records, without the app's broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring.recurring import open_listener_records

    records = await open_listener_records(app.settings, SystemClock())
    try:
        yield records
    finally:
        await records.close()
