"""The game in PostgreSQL, where transactions run side by side."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from examples.arcade.api.page import page
from examples.arcade.batch import machines, matching
from examples.arcade.batch.jobs import maintenance, nft, payment
from examples.arcade.batch.rooms import SeatTaken, close_room
from examples.arcade.contract import MachineStart, Ticket
from examples.arcade.database.tables import game_at
from examples.running.database.database import Database, DatabaseAway
from tests.acceptance.comments.own_database import own_database

pytestmark = [pytest.mark.servers("postgres"), pytest.mark.xdist_group("arcade servers")]


@pytest.fixture
async def game() -> AsyncIterator[Database]:
    with own_database() as url:
        opened = game_at(url)
        await opened.open()
        yield opened
        await opened.close()


async def test_nobody_is_in_two_rooms_whoever_matches_at_the_same_time(game: Database) -> None:
    async def join(setting_id: int, kind: str, player: int) -> None:
        one = Ticket(ticket_id=f"{kind}-{setting_id}-{player}", player_id=player)
        while True:
            try:
                async with game.transaction() as desk:
                    await matching.join(desk, setting_id, kind, one)
                return
            except (SeatTaken, DatabaseAway):
                continue

    wishes = [(setting, kind, player) for player in range(1, 21) for setting in (1, 2) for kind in ("pvp", "multi")]
    async with asyncio.timeout(50):
        await asyncio.gather(*(join(*wish) for wish in wishes))
    seats = await game.read("SELECT player_id, room_id FROM seat ORDER BY player_id")
    assert seats
    matched = "SELECT player_id, room_id FROM ticket WHERE state = 'matched' ORDER BY player_id"
    assert await game.read(matched) == seats
    sizes = await game.read("SELECT kind, place, count(*) FROM room JOIN seat ON room_id = id GROUP BY id, kind, place")
    assert {(kind, place): count for kind, place, count in sizes}.items() <= {
        ("pvp", 1): 2, ("pvp", 2): 2, ("multi", 1): 3, ("multi", 2): 4,
    }.items()  # fmt: skip


async def test_every_statement_is_understood_there(game: Database) -> None:
    async with game.transaction() as desk:
        room = await machines.start(desk, 1, MachineStart(start_id="s", player_id=1))
        assert room is not None
        assert await machines.play(desk, 1)
        assert await close_room(desk, room)
        assert (await machines.free_waiting(desk), await machines.ping_overtime(desk)) == (1, 1)
        assert [await payment.expire(method, desk) for method in ("card", "crypto", "token")] == [1, 1, 1]
        assert [await payment.confirm(method, desk) for method in ("card", "token")] == [1, 1]
        assert (await nft.end_rentals(desk), await nft.wear(desk)) == (1, 2)
        await desk.do("UPDATE site SET closes = 0")
        assert await maintenance.open_or_close(desk) == 1
        assert await maintenance.throw_away(desk) == 3
        assert await maintenance.put_away(desk) == 3
        assert await maintenance.forget_players(desk) == 1
        assert await matching.sweep(desk) == 0
    assert "Played for long" in await page(game)
