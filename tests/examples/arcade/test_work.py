"""What scheduled jobs do to the game, and what is booked."""

import pytest

from examples.arcade.batch.bookings import NoCoins, book
from examples.arcade.batch.jobs import maintenance, nft, payment
from examples.running.database.database import Database


async def test_payments_expire_or_become_coins(game: Database) -> None:
    async with game.transaction() as desk:
        assert [await payment.expire(method, desk) for method in ("card", "crypto", "token")] == [1, 1, 1]
        assert [await payment.expire(method, desk) for method in ("card", "crypto", "token")] == [0, 0, 0]
        assert [await payment.confirm(method, desk) for method in ("card", "token", "card")] == [1, 1, 0]
    assert await game.read("SELECT coins FROM player WHERE id = 3") == [(1600,)]


async def test_nothing_is_booked_twice_and_nobody_owes(game: Database) -> None:
    async with game.transaction() as desk:
        assert await book(desk, "a", 1, -900, "test")
        assert not await book(desk, "a", 1, -900, "test")
    with pytest.raises(NoCoins):
        async with game.transaction() as desk:
            await book(desk, "b", 1, -900, "test")
    assert await game.read("SELECT coins FROM player WHERE id = 1") == [(100,)]
    assert await game.read("SELECT count(*) FROM booking") == [(1,)]


async def test_rentals_end_and_what_is_rented_wears_out(game: Database) -> None:
    async with game.transaction() as desk:
        assert await nft.end_rentals(desk) == 1
        assert await nft.wear(desk) == 2
    assert await game.read("SELECT id, life FROM nft ORDER BY id") == [(1, 100), (2, 99), (3, 99)]


async def test_maintenance(game: Database) -> None:
    async with game.transaction() as desk:
        assert await maintenance.throw_away(desk) == 3
        assert await maintenance.put_away(desk) == 3
        assert await maintenance.forget_players(desk) == 1
        assert await maintenance.open_or_close(desk) == 0
        await desk.do("UPDATE site SET closes = 0")
        assert [await maintenance.open_or_close(desk) for _ in range(2)] == [1, 0]
        await desk.do("UPDATE site SET opens = 1")
        assert await maintenance.open_or_close(desk) == 1
    assert await game.read("SELECT count(*) FROM old_room") == [(3,)]
    assert await game.read("SELECT name, gone FROM player WHERE id = 999") == [("", 1)]
    assert await game.read("SELECT state FROM site") == [("open",)]
