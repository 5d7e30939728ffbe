"""What is in the game at first."""

import time

from examples.running.database.database import Desk

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0

#: Id, name, players of a match of many, and how far ratings may be apart.
SETTINGS = ((1, "Duel", 3, 100), (2, "Arena", 4, 200), (3, "Rumble", 5, 400))
MACHINES = ((1, "Crane"), (2, "Pusher"), (3, "Pinball"), (4, "Hoops"))
STREAMERS = ("aiko", "ben", "chidi", "dana")
PLAYERS = 40
#: What every player begins with.
COINS = 1000


async def seed(desk: Desk) -> None:
    """Settings, machines, people, and something to do for every job."""
    now = time.time()
    for setting in SETTINGS:
        await _put(desk, "playable_setting (id, name, players, band)", *setting)
    for machine in MACHINES:
        await _put(desk, "machine (id, name)", *machine)
    for number in range(1, PLAYERS + 1):
        rating = 1000 + 37 * number % 800
        await _put(desk, "player (id, name, rating, coins)", number, f"player {number}", rating, COINS)
    for name in STREAMERS:
        await _put(desk, "streamer (id)", name)
    await _put(desk, "site (id, state, closes, opens)", 1, "open", now + 7 * DAY, now + 7 * DAY + HOUR)
    await _seed_money(desk, now)
    await _seed_games(desk, now)


async def _seed_money(desk: Desk, now: float) -> None:
    for method in ("card", "crypto", "token"):
        for number, (state, age) in enumerate((("pending", 2 * DAY), ("pending", 0.0), ("paid", 0.0)), 1):
            values = (f"{method}-{number}", method, number, 100 * number, state, now - age)
            await _put(desk, "payment (id, method, player_id, coins, state, created)", *values)
    for number in (1, 2, 3):
        await _put(desk, "nft (id, owner_id, life, earned)", number, number, 100, 50 * number)
        ends = now - MINUTE if number == 1 else now + DAY
        await _put(desk, "rental (id, nft_id, player_id, state, ends)", f"rent-{number}", number, 10, "rented", ends)


async def _seed_games(desk: Desk, now: float) -> None:
    for kind in ("event", "tournament", "daily"):
        board = f"{kind}-1"
        await _put(desk, "leaderboard (id, kind, state, ends)", board, kind, "open", now - 1)
        for number in range(1, 11):
            await _put(desk, "score (board_id, player_id, points)", board, number, 10 * number)
    for number in (1, 2, 3):
        values = (f"old-{number}", "pool", 1, "closed", now - 40 * DAY)
        await _put(desk, "room (origin, kind, place, state, created)", *values)
        await _put(desk, "play_session (id, ends)", f"session-{number}", now - DAY)
    await _put(desk, "player (id, name, rating, leaves)", 999, "somebody who leaves", 1200, now - 31 * DAY)
    await _put(desk, "machine (id, name, state, since)", 98, "Left alone", "waiting", now - HOUR)
    await _put(desk, "machine (id, name, state, since)", 99, "Played for long", "playing", now - HOUR)


async def _put(desk: Desk, columns: str, *values: object) -> None:
    marks = ", ".join("?" for _ in values)
    table, _, names = columns.partition(" ")
    await desk.do(f"INSERT INTO {table} {names} VALUES ({marks})", *values)
