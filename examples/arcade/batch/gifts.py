"""Gifts of viewers: counted for each streamer, and every few seconds one total of each is applied, in order.

The flush of the tally is the gift aggregation: `jobs.gift-aggregation.fixedDelay` says how often.
"""

import time

from examples.arcade.contract import GIFT
from examples.arcade.herd import arcade, database, settings
from goatherd import Context

#: `await pending_gift.add("aiko", 100, id=gift_id)`, by whoever takes gifts.
pending_gift = arcade.tally("pending_gift")
gift_queue = arcade.queue(GIFT, format="plain", type="classic")


@pending_gift.flush(every=settings.gift_aggregation / 1000, queue=gift_queue)
async def apply_gifts(ctx: Context, streamerId: str, totalBcoinValue: int) -> None:  # noqa: N803 - the message's names
    """Give a streamer what viewers gave since the last time; in one transaction with its place in the order."""
    async with database.transaction() as desk:
        await desk.do(
            "INSERT INTO streamer (id, bcoin) VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET bcoin = streamer.bcoin + excluded.bcoin",
            streamerId, totalBcoinValue,
        )  # fmt: skip
        await desk.do(
            "INSERT INTO gift_total (streamer_id, job_id, total, worker, at) VALUES (?, ?, ?, ?, ?)",
            streamerId, ctx.job_id, totalBcoinValue, settings.worker, time.time(),
        )  # fmt: skip
        await ctx.commit_with(desk.connection)
