"""An app whose one step lasts for as long as the test lets its worker hold it."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

from goatherd import Context, Goatherd, Pipeline
from tests.faults.pipelines.journal import JOURNAL, mark

APP = "sitting"


def declare(app: Goatherd) -> Pipeline[int, int]:
    """Gives the process that did it."""
    sitting = app.pipeline("sitting", takes=int, gives=int)

    @sitting.step(after=sitting.input)
    async def sit(ctx: Context, number: int) -> int:
        mark("start", ctx.fence)
        while hold_of(os.getpid()).exists():
            await asyncio.sleep(0.02)
        mark("end", ctx.fence)
        return os.getpid()

    return sitting


def hold_of(pid: int, folder: str | Path | None = None) -> Path:
    """While it is there, that process does not come to the end of a step."""
    return Path(folder or os.environ[JOURNAL]) / f"{pid}.hold"


app = Goatherd(os.environ.get("SITTING_APP", APP))
sitting = declare(app)


@app.lifespan
async def be_up() -> AsyncIterator[None]:
    mark("up", None)
    yield
