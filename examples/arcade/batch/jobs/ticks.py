"""A tick has its effect once: its work and the note of it are one transaction."""

import time
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from examples.arcade.herd import database, settings
from examples.running.database.database import Desk
from goatherd import Context

#: What a job does; how much it changed.
Work: TypeAlias = Callable[[Desk], Awaitable[int]]


async def once(ctx: Context, job: str, work: Work) -> int:
    """Do the work of a tick, unless a worker that died since has done it; how much was changed.

    The id of a tick's run is the same in every attempt: `archive@2026-11-16T02:00:00Z`.
    """
    tick = ctx.run_id
    async with database.transaction() as desk:
        await desk.do(
            "INSERT INTO attempt (job, tick, worker, at) VALUES (?, ?, ?, ?)", job, tick, settings.worker, time.time()
        )
    async with database.transaction() as desk:
        new = await desk.do(
            "INSERT INTO done_tick (tick, job, changed, at) VALUES (?, ?, 0, ?) ON CONFLICT (tick) DO NOTHING "
            "RETURNING tick",
            tick, job, time.time(),
        )  # fmt: skip
        changed = await work(desk) if new else 0
        if changed:
            await desk.do("UPDATE done_tick SET changed = ? WHERE tick = ?", changed, tick)
    ctx.log.info("%s: %d", tick, changed)
    return changed
