"""NFTs: rentals end, life goes down, and owners get what was earned."""

import time

from examples.arcade.batch.jobs.prizes import decide, once_with_prizes
from examples.arcade.batch.jobs.ticks import once
from examples.arcade.contract import Prize
from examples.arcade.herd import arcade, settings
from examples.running.database.database import Desk
from goatherd import Context


async def end_rentals(desk: Desk) -> int:
    """What was rented goes back to its owner."""
    ended = await desk.do(
        "UPDATE rental SET state = 'ended' WHERE state = 'rented' AND ends < ? RETURNING id", time.time()
    )
    return len(ended)


async def wear(desk: Desk) -> int:
    """What is rented out is used, and loses life."""
    worn = await desk.do(
        "UPDATE nft SET life = life - 1 WHERE life > 0 AND id IN (SELECT nft_id FROM rental WHERE state = 'rented') "
        "RETURNING id"
    )
    return len(worn)


@arcade.cron("0 * * * * *", setting="batch.cron.rental-expiry")
async def rental_expiry(ctx: Context) -> int:
    """End the rentals whose time is over."""
    return await once(ctx, "rental_expiry", end_rentals)


@arcade.cron("0 0 * * * *", setting="batch.cron.life-gauge")
async def life_gauge(ctx: Context) -> int:
    """Wear down what is in use."""
    return await once(ctx, "life_gauge", wear)


@arcade.cron("0 30 0 * * *", tz=settings.time_zone, setting="batch.cron.nft-revenue")
async def nft_revenue(ctx: Context) -> int:
    """Give owners what was earned."""

    async def pay(desk: Desk) -> int:
        rows = await desk.do("SELECT id, owner_id, earned FROM nft WHERE earned > 0 ORDER BY id")
        for nft_id, owner_id, earned in rows:
            await desk.do("UPDATE nft SET earned = earned - ? WHERE id = ?", earned, nft_id)
            prize = Prize(award_id=f"{ctx.run_id}:{nft_id}", player_id=owner_id, coins=earned)
            await decide(desk, ctx, "nft-revenue", prize)
        return len(rows)

    return await once_with_prizes(ctx, "nft_revenue", pay)
