"""Coins of players: everything is booked once, whatever is delivered twice."""

import time

from examples.running.database.database import Desk


class NoCoins(Exception):
    """A player cannot pay."""


async def book(desk: Desk, booking_id: str, player_id: int, coins: int, what: str) -> bool:
    """Give a player coins, or take them; false if that was done before. Raises NoCoins."""
    new = await desk.do(
        "INSERT INTO booking (id, player_id, coins, what, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING "
        "RETURNING id",
        booking_id, player_id, coins, what, time.time(),
    )  # fmt: skip
    if not new:
        return False
    changed = await desk.do(
        "UPDATE player SET coins = coins + ? WHERE id = ? AND coins + ? >= 0 RETURNING coins", coins, player_id, coins
    )
    if not changed:
        raise NoCoins(f"player {player_id} is not there, or does not have {-coins} coins")
    return True
