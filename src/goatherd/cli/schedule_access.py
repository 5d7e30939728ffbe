"""Open the schedules of an app, without its broker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.desk.schedule_looks import ScheduleLook
    from goatherd.ports.schedules import ScheduleOperations

name_argument = click.argument("name")


@asynccontextmanager
async def opened_schedules(app: Goatherd) -> AsyncIterator[ScheduleOperations]:
    """The records of an app's schedules, without its broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring.recurring import open_schedules

    opened = await open_schedules(app.settings, SystemClock())
    try:
        yield opened.operations
    finally:
        await opened.schedules.close()


async def read_schedules(app: Goatherd) -> list[ScheduleLook]:
    """All that are on record or declared, by name; raises Unavailable, SettingsError or DefinitionError."""
    from goatherd.desk.schedule_looks import look_at_schedules

    async with opened_schedules(app) as operations:
        return await look_at_schedules(app, operations)
