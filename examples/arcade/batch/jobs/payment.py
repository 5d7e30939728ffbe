"""Payments: those that nobody paid expire, those that were paid become coins."""

import time
from functools import partial

from examples.arcade.batch.bookings import book
from examples.arcade.batch.jobs.ticks import once
from examples.arcade.herd import arcade, settings
from examples.running.database.database import Desk
from goatherd import Context

#: Seconds in which a payment of each kind must be made.
TIME_TO_PAY = {"card": 1800.0, "crypto": 86_400.0, "token": 3600.0}


async def expire(method: str, desk: Desk) -> int:
    """Payments that were not made in time are over."""
    over = await desk.do(
        "UPDATE payment SET state = 'expired' WHERE method = ? AND state = 'pending' AND created < ? RETURNING id",
        method, time.time() - TIME_TO_PAY[method],
    )  # fmt: skip
    return len(over)


async def confirm(method: str, desk: Desk) -> int:
    """Payments that were made give their coins."""
    paid = await desk.do(
        "UPDATE payment SET state = 'done' WHERE method = ? AND state = 'paid' RETURNING id, player_id, coins", method
    )
    for payment_id, player_id, coins in paid:
        await book(desk, f"payment:{payment_id}", player_id, coins, f"{method} payment")
    return len(paid)


@arcade.cron("0 */5 * * * *", setting="batch.cron.card-expiry")
async def card_expiry(ctx: Context) -> int:
    """Cards have half an hour."""
    return await once(ctx, "card_expiry", partial(expire, "card"))


@arcade.cron("0 */10 * * * *", setting="batch.cron.crypto-expiry")
async def crypto_expiry(ctx: Context) -> int:
    """Crypto has a day."""
    return await once(ctx, "crypto_expiry", partial(expire, "crypto"))


@arcade.cron("0 */10 * * * *", setting="batch.cron.token-expiry")
async def token_expiry(ctx: Context) -> int:
    """Tokens have an hour."""
    return await once(ctx, "token_expiry", partial(expire, "token"))


@arcade.every(settings.card_confirm / 1000)
async def card_confirm(ctx: Context) -> int:
    """Cards that were charged."""
    return await once(ctx, "card_confirm", partial(confirm, "card"))


@arcade.every(settings.token_confirm / 1000)
async def token_confirm(ctx: Context) -> int:
    """Tokens that arrived."""
    return await once(ctx, "token_confirm", partial(confirm, "token"))
