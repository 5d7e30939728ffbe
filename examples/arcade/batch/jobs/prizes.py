"""Scheduled jobs feed the prize queues: what a tick decides is on record before it is sent, so that none is lost.

A worker that dies in between leaves the sending to the tick's next attempt. What is sent twice is given once, by the
id of the award.
"""

import time

from examples.arcade.batch.fixed import allocate_prize
from examples.arcade.batch.jobs.ticks import Work, once
from examples.arcade.contract import Prize
from examples.arcade.herd import arcade, database
from examples.running.database.database import Desk
from goatherd import Context


async def decide(desk: Desk, ctx: Context, name: str, prize: Prize) -> None:
    """Put a prize on record, in the transaction in which the tick has its effect."""
    await desk.do(
        "INSERT INTO decided_prize (award_id, tick, name, player_id, coins, at) VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (award_id) DO NOTHING",
        prize.award_id, ctx.run_id, name, prize.player_id, prize.coins, time.time(),
    )  # fmt: skip


async def once_with_prizes(ctx: Context, job: str, work: Work) -> int:
    """Do the work of a tick, then send the prizes that it decided on."""
    changed = await once(ctx, job, work)
    rows = await database.read(
        "SELECT name, award_id, player_id, coins FROM decided_prize WHERE tick = ? ORDER BY award_id", ctx.run_id
    )
    await arcade.send_many(
        allocate_prize.job(name, Prize(award_id=award_id, player_id=player_id, coins=coins))
        for name, award_id, player_id, coins in rows
    )
    return changed
