"""Maintenance: the site's hours, what is thrown away, what is archived, and accounts whose owners leave."""

import time

from examples.arcade.batch.jobs.ticks import once
from examples.arcade.herd import arcade, settings
from examples.running.database.database import Desk
from goatherd import Context

#: Seconds: a month until rooms are archived and accounts deleted, a week until notes are thrown away.
MONTH, WEEK = 30 * 86_400.0, 7 * 86_400.0


async def open_or_close(desk: Desk) -> int:
    """Whether the site is under maintenance, as it was planned."""
    now = time.time()
    changed = await desk.do(
        "UPDATE site SET state = CASE WHEN closes <= ? AND opens > ? THEN 'closed' ELSE 'open' END "
        "WHERE (state = 'closed') <> (closes <= ? AND opens > ?) RETURNING id",
        now, now, now, now,
    )  # fmt: skip
    return len(changed)


async def throw_away(desk: Desk) -> int:
    """Sessions that are over, and notes of ticks that nobody will look at."""
    now = time.time()
    sessions = await desk.do("DELETE FROM play_session WHERE ends < ? RETURNING id", now)
    await desk.do("DELETE FROM attempt WHERE at < ?", now - WEEK)
    await desk.do("DELETE FROM done_tick WHERE at < ?", now - WEEK)
    await desk.do("DELETE FROM decided_prize WHERE at < ?", now - WEEK)
    return len(sessions)


async def put_away(desk: Desk) -> int:
    """Rooms that were closed long ago."""
    old = await desk.do(
        "DELETE FROM room WHERE state = 'closed' AND created < ? RETURNING id, kind, created", time.time() - MONTH
    )
    for room in old:
        await desk.do("INSERT INTO old_room (id, kind, created) VALUES (?, ?, ?)", *room)
    return len(old)


async def forget_players(desk: Desk) -> int:
    """Of accounts that were to be deleted a month ago, only the number stays, for the books."""
    gone = await desk.do(
        "UPDATE player SET name = '', gone = TRUE, leaves = NULL WHERE leaves < ? RETURNING id", time.time() - MONTH
    )
    return len(gone)


@arcade.cron("0 * * * * *", setting="batch.cron.site-maintenance")
async def site_maintenance(ctx: Context) -> int:
    """Close and open the site."""
    return await once(ctx, "site_maintenance", open_or_close)


@arcade.cron("0 30 3 * * *", tz=settings.time_zone, setting="batch.cron.clean-up")
async def clean_up(ctx: Context) -> int:
    """Throw away what is over."""
    return await once(ctx, "clean_up", throw_away)


@arcade.cron("0 0 2 * * *", tz=settings.time_zone, setting="batch.cron.archive-data")
async def archive(ctx: Context) -> int:
    """Put away what is old."""
    return await once(ctx, "archive", put_away)


@arcade.cron("0 0 4 * * *", tz=settings.time_zone, setting="batch.cron.delete-account")
async def delete_account(ctx: Context) -> int:
    """Forget players who left."""
    return await once(ctx, "delete_account", forget_players)
