"""Leaderboards: when one ends, its best three get prizes, on the queue of their kind."""

import time

from examples.arcade.batch.jobs.prizes import decide, once_with_prizes
from examples.arcade.contract import Prize
from examples.arcade.herd import arcade, settings
from examples.running.database.database import Desk
from goatherd import Context

#: Coins for the best of each board.
PRIZES = (300, 200, 100)


async def close_boards(ctx: Context, job: str, kind: str) -> int:
    """Close the boards whose time is over, and give their prizes."""

    async def close(desk: Desk) -> int:
        closed = await desk.do(
            "UPDATE leaderboard SET state = 'closed' WHERE kind = ? AND state = 'open' AND ends <= ? RETURNING id",
            kind, time.time(),
        )  # fmt: skip
        for (board_id,) in closed:
            best = await desk.do(
                "SELECT player_id FROM score WHERE board_id = ? ORDER BY points DESC, player_id LIMIT ?",
                board_id, len(PRIZES),
            )  # fmt: skip
            for place, ((player_id,), coins) in enumerate(zip(best, PRIZES, strict=False), 1):
                prize = Prize(award_id=f"{board_id}:{place}", player_id=player_id, coins=coins)
                await decide(desk, ctx, kind, prize)
        return len(closed)

    return await once_with_prizes(ctx, job, close)


@arcade.cron("0 */5 * * * *", setting="batch.cron.leaderboard-event")
async def leaderboard_event(ctx: Context) -> int:
    """Events that are over."""
    return await close_boards(ctx, "leaderboard_event", "event")


@arcade.cron("0 */5 * * * *", setting="batch.cron.leaderboard-tournament")
async def leaderboard_tournament(ctx: Context) -> int:
    """Tournaments that are over."""
    return await close_boards(ctx, "leaderboard_tournament", "tournament")


@arcade.cron("0 0 0 * * *", tz=settings.time_zone, setting="batch.cron.leaderboard-daily")
async def leaderboard_daily(ctx: Context) -> int:
    """The day that is over."""
    return await close_boards(ctx, "leaderboard_daily", "daily")
