"""The app whose workers the crash run kills and freezes."""

import asyncio
import time
from collections.abc import AsyncIterator

from goatherd import Context, Goatherd, Retry
from goatherd.sync import Context as BlockingContext
from tests.faults.lanes.effects import FileEffects, TableEffects
from tests.faults.lanes.journal import mark

app = Goatherd("flock", retry=Retry(3, base=0.05))
_in_file, _in_table = FileEffects(), TableEffects()


@app.task(key="key")
def tend(ctx: BlockingContext, key: str, number: int, milliseconds: float) -> None:
    """Work, and have the effect in a file of one's own."""
    mark("start", key, number)
    try:
        time.sleep(milliseconds / 1000)
        _in_file.write(ctx, key, number)
    finally:
        mark("end", key, number)


@app.task(key="key")
async def tend_with_lane(ctx: Context, key: str, number: int, milliseconds: float) -> None:
    """Work, and have the effect in the database in which the lanes are."""
    mark("start", key, number)
    try:
        await asyncio.sleep(milliseconds / 1000)
        await _in_table.write(ctx, key, number)
    finally:
        mark("end", key, number)


@app.lifespan
async def be_up() -> AsyncIterator[None]:
    mark("up", "-", 0)
    yield
    await _in_table.close()
