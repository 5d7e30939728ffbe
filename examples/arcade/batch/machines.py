"""What happens to machines."""

import time

from examples.arcade.batch.rooms import close_room, is_seated, open_room, room_of
from examples.arcade.contract import MachineStart
from examples.running.database.database import Desk

#: Seconds that a start room waits for its player, and that a game takes.
LONGEST_START, LONGEST_GAME = 120.0, 900.0


async def start(desk: Desk, machine_id: int, wish: MachineStart) -> int | None:
    """Open the machine's start room; None if the machine or the player is busy."""
    origin = f"start:{wish.start_id}"
    if (opened := await room_of(desk, origin)) is not None:
        return opened
    taken = await desk.do(
        "UPDATE machine SET state = 'waiting', since = ? WHERE id = ? AND state = 'idle' RETURNING id",
        time.time(), machine_id,
    )  # fmt: skip
    if not taken:
        return None
    if await is_seated(desk, wish.player_id):
        await desk.do("UPDATE machine SET state = 'idle' WHERE id = ?", machine_id)
        return None
    return await open_room(desk, "machine", machine_id, origin, [wish.player_id])


async def play(desk: Desk, machine_id: int) -> bool:
    """The game begins; false if nobody had the start room."""
    begun = await desk.do(
        "UPDATE machine SET state = 'playing', since = ? WHERE id = ? AND state = 'waiting' RETURNING id",
        time.time(), machine_id,
    )  # fmt: skip
    return bool(begun)


async def free_waiting(desk: Desk) -> int:
    """Start rooms whose player did not come are closed, and their machines are free again."""
    now = time.time()
    left = await desk.do("SELECT id FROM machine WHERE state = 'waiting' AND since < ?", now - LONGEST_START)
    for (machine_id,) in left:
        rooms = await desk.do("SELECT id FROM room WHERE kind = 'machine' AND place = ? AND state = 'open'", machine_id)
        for (room_id,) in rooms:
            await close_room(desk, int(room_id))
        await desk.do("UPDATE machine SET state = 'idle', since = ? WHERE id = ?", now, machine_id)
    return len(left)


async def ping_overtime(desk: Desk) -> int:
    """Machines whose game takes too long are asked whether anybody is still there."""
    asked = await desk.do(
        "UPDATE machine SET state = 'overtime', pings = pings + 1 WHERE state IN ('playing', 'overtime') AND since < ? "
        "RETURNING id",
        time.time() - LONGEST_GAME,
    )  # fmt: skip
    return len(asked)
