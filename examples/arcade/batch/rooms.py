"""Rooms and who is in them."""

import time
from collections.abc import Iterable

from examples.running.database.database import Desk


class SeatTaken(Exception):
    """A player has just been seated in another room; look again."""


async def room_of(desk: Desk, origin: str) -> int | None:
    """The room that was opened for this before, if it was."""
    rows = await desk.do("SELECT id FROM room WHERE origin = ?", origin)
    return int(rows[0][0]) if rows else None


async def is_seated(desk: Desk, player_id: int) -> bool:
    """Whether a player is in a room."""
    return bool(await desk.do("SELECT 1 FROM seat WHERE player_id = ?", player_id))


async def open_room(desk: Desk, kind: str, place: int, origin: str, players: Iterable[int]) -> int:
    """A room with these players in it; raises SeatTaken if one of them is in another."""
    rows = await desk.do(
        "INSERT INTO room (origin, kind, place, created) VALUES (?, ?, ?, ?) RETURNING id",
        origin, kind, place, time.time(),
    )  # fmt: skip
    room_id = int(rows[0][0])
    # In the order of their ids, so that two who seat the same players do not wait for each other.
    for player_id in sorted(players):
        seated = await desk.do(
            "INSERT INTO seat (player_id, room_id) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING room_id",
            player_id, room_id,
        )  # fmt: skip
        if not seated:
            raise SeatTaken(f"player {player_id} is in another room")
    return room_id


async def close_room(desk: Desk, room_id: int) -> bool:
    """Everybody gets up; false if it was closed already."""
    closed = await desk.do(
        "UPDATE room SET state = 'closed' WHERE id = ? AND state = 'open' RETURNING kind, place", room_id
    )
    await desk.do("DELETE FROM seat WHERE room_id = ?", room_id)
    for kind, place in closed:
        if kind == "machine":
            await desk.do("UPDATE machine SET state = 'idle', since = ? WHERE id = ?", time.time(), place)
    return bool(closed)
