"""Matching: tickets become rooms. A ticket that comes twice is one ticket, and nobody is in two rooms."""

import time

from examples.arcade.batch.groups import Waiting, groups
from examples.arcade.batch.rooms import is_seated, open_room, room_of
from examples.arcade.contract import Ticket
from examples.running.database.database import Desk

#: Seconds after which a ticket that nobody fits is void.
LONGEST_WAIT = 600.0


class NotPlayable(Exception):
    """There is no such setting, or no such player."""


async def open_pool(desk: Desk, setting_id: int, ticket: Ticket) -> int | None:
    """A room of the setting for one player; None if she is in one already."""
    origin = f"pool:{ticket.ticket_id}"
    if (opened := await room_of(desk, origin)) is not None:
        return opened
    await _take_setting(desk, setting_id)
    if await is_seated(desk, ticket.player_id):
        return None
    return await open_room(desk, "pool", setting_id, origin, [ticket.player_id])


async def join(desk: Desk, setting_id: int, kind: str, ticket: Ticket) -> int:
    """Let a player wait for others, and seat all that fit; how many rooms were opened."""
    rows = await desk.do("SELECT rating FROM player WHERE id = ? AND NOT gone", ticket.player_id)
    if not rows:
        raise NotPlayable(f"there is no player {ticket.player_id}")
    await desk.do(
        "INSERT INTO ticket (id, setting_id, kind, player_id, rating, state, created) "
        "VALUES (?, ?, ?, ?, ?, 'waiting', ?) ON CONFLICT (id) DO NOTHING",
        ticket.ticket_id, setting_id, kind, ticket.player_id, rows[0][0], time.time(),
    )  # fmt: skip
    return await match(desk, setting_id, kind)


async def match(desk: Desk, setting_id: int, kind: str, widen: int = 1) -> int:
    """Seat all who fit, in a band that may be wider than usual; how many rooms were opened."""
    players, band = await _take_setting(desk, setting_id)
    await desk.do(
        "UPDATE ticket SET state = 'void' WHERE setting_id = ? AND kind = ? AND state = 'waiting' "
        "AND player_id IN (SELECT player_id FROM seat)",
        setting_id, kind,
    )  # fmt: skip
    rows = await desk.do(
        "SELECT id, player_id, rating, created FROM ticket WHERE setting_id = ? AND kind = ? AND state = 'waiting'",
        setting_id, kind,
    )  # fmt: skip
    found = groups([Waiting(*row) for row in rows], 2 if kind == "pvp" else players, band * widen)
    for group in found:
        room = await open_room(desk, kind, setting_id, f"{kind}:{group[0].ticket_id}", [one.player_id for one in group])
        for one in group:
            await desk.do("UPDATE ticket SET state = 'matched', room_id = ? WHERE id = ?", room, one.ticket_id)
    return len(found)


async def sweep(desk: Desk) -> int:
    """Seat those whom nobody fitted, in wider and wider bands; those who waited too long are told to try again."""
    await desk.do(
        "UPDATE ticket SET state = 'void' WHERE state = 'waiting' AND created < ?", time.time() - LONGEST_WAIT
    )
    waiting = await desk.do(
        "SELECT setting_id, kind FROM ticket WHERE state = 'waiting' "
        "AND setting_id IN (SELECT id FROM playable_setting) "
        "GROUP BY setting_id, kind HAVING count(*) > 1 ORDER BY setting_id, kind"
    )
    return sum([await match(desk, int(setting_id), kind, widen=3) for setting_id, kind in waiting])


async def _take_setting(desk: Desk, setting_id: int) -> tuple[int, int]:
    """Its players and its band; whoever matches for it after us waits until we have ended."""
    rows = await desk.do("UPDATE playable_setting SET band = band WHERE id = ? RETURNING players, band", setting_id)
    if not rows:
        raise NotPlayable(f"there is no setting {setting_id}")
    return int(rows[0][0]), int(rows[0][1])
