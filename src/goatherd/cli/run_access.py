"""Open the records of an app's pipelines, without its broker."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from goatherd.app import Goatherd
    from goatherd.model.run_record import RunLook
    from goatherd.ports.steps import RunOperations

run_argument = click.argument("run")


@asynccontextmanager
async def opened_records(app: Goatherd) -> AsyncIterator[RunOperations]:
    """The records of an app's runs, without its broker, until the block ends; raises Unavailable."""
    from goatherd.ports.clock import SystemClock
    from goatherd.wiring import open_steps

    opened = await open_steps(app.settings, SystemClock())
    try:
        yield opened.operations
    finally:
        await opened.steps.close()


async def look_at_run(app: Goatherd, run: str) -> RunLook:
    """The run with that id, or the one whose id ends so; raises NotThere or Unavailable."""
    from goatherd.desk.run_finding import find_run

    async with opened_records(app) as operations:
        return await find_run(app, operations, run)
