"""Listeners that are always there: prizes, gacha, invitations, and a few others."""

import random

from examples.arcade.batch.bookings import book
from examples.arcade.batch.rooms import is_seated
from examples.arcade.contract import (
    GACHA,
    INVITATION,
    NOTIFICATION,
    PRIZES,
    REPORT,
    Draw,
    Invitation,
    Notification,
    Prize,
    Report,
)
from examples.arcade.herd import arcade, database
from examples.running.database.database import Desk
from goatherd import Context

THINGS = ("bell", "rope", "lantern", "cheese", "golden goat")


@arcade.listeners("prize-{}", PRIZES, format="plain")
async def allocate_prize(ctx: Context, name: str, prize: Prize, /) -> None:
    """Give a player what she has won."""
    async with database.transaction() as desk:
        if not await book(desk, f"prize:{name}:{prize.award_id}", prize.player_id, prize.coins, f"prize {name}"):
            ctx.log.info("%s was given before", prize.award_id)


@arcade.listeners("gacha-{}", list(GACHA), format="plain")
async def draw(name: str, wish: Draw, /) -> None:
    """Take the coins, and draw: the same things again for a draw that comes again."""
    cost, count = GACHA[name]
    luck = random.Random(wish.draw_id)
    async with database.transaction() as desk:
        if await book(desk, f"gacha:{wish.draw_id}", wish.player_id, -cost, f"gacha {name}"):
            await _tell(desk, wish.draw_id, "gacha", wish.player_id, ", ".join(luck.choices(THINGS, k=count)))


@arcade.task(queue=arcade.queue(INVITATION, format="plain", type="classic"))
async def invite(one: Invitation, /) -> None:
    """Tell a player that she is invited, unless she plays already."""
    async with database.transaction() as desk:
        if not await is_seated(desk, one.guest_id):
            await _tell(desk, one.invitation_id, "invitation", one.guest_id, f"come to room {one.room_id}")


@arcade.task(queue=arcade.queue(NOTIFICATION, format="plain", type="classic"))
async def notify(one: Notification, /) -> None:
    """Tell a player something."""
    async with database.transaction() as desk:
        await _tell(desk, one.notification_id, "notification", one.player_id, one.text)


@arcade.task(queue=arcade.queue(REPORT, format="plain", type="classic"))
async def report(one: Report, /) -> None:
    """Keep a complaint for people to look at."""
    async with database.transaction() as desk:
        await _tell(desk, one.report_id, "report", one.about_id, one.text)


async def _tell(desk: Desk, told_id: str, kind: str, player_id: int, text: str) -> None:
    await desk.do(
        "INSERT INTO told (id, kind, player_id, text) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        told_id, kind, player_id, text,
    )  # fmt: skip
