"""Tickets become rooms: once, and nobody is in two."""

import pytest

from examples.arcade.batch import machines, matching
from examples.arcade.batch.matching import NotPlayable
from examples.arcade.batch.rooms import SeatTaken, close_room, open_room
from examples.arcade.contract import MachineStart, Ticket
from examples.running.database.database import Database


def ticket(player: int, name: str = "") -> Ticket:
    return Ticket(ticket_id=name or f"t{player}", player_id=player)


async def test_two_who_fit_get_a_room_and_a_ticket_that_comes_again_changes_nothing(game: Database) -> None:
    for player in (1, 2, 1, 2):
        async with game.transaction() as desk:
            await matching.join(desk, 1, "pvp", ticket(player))
    assert await game.read("SELECT player_id, state FROM ticket ORDER BY player_id") == [(1, "matched"), (2, "matched")]
    assert await game.read("SELECT count(*), count(DISTINCT room_id) FROM seat") == [(2, 1)]


async def test_a_match_of_several_waits_until_all_are_there(game: Database) -> None:
    opened = []
    for player in (1, 2, 3, 4):
        async with game.transaction() as desk:
            opened.append(await matching.join(desk, 2, "multi", ticket(player)))
    assert opened == [0, 0, 0, 1]


async def test_who_plays_already_is_not_matched_elsewhere(game: Database) -> None:
    async with game.transaction() as desk:
        await matching.open_pool(desk, 1, ticket(1))
        assert await matching.open_pool(desk, 2, ticket(1, "again")) is None
        await matching.join(desk, 1, "pvp", ticket(1, "pvp"))
        assert await matching.join(desk, 1, "pvp", ticket(2)) == 0
    assert await game.read("SELECT id, state FROM ticket ORDER BY id") == [("pvp", "void"), ("t2", "waiting")]


async def test_a_pool_that_is_asked_for_twice_is_one_room(game: Database) -> None:
    async with game.transaction() as desk:
        first = await matching.open_pool(desk, 1, ticket(1))
        assert await matching.open_pool(desk, 1, ticket(1)) == first


async def test_the_sweep_seats_those_whom_nobody_fitted(game: Database) -> None:
    async with game.transaction() as desk:
        # 1037 and 1222: farther apart than a duel allows, and near enough for a band of three times that.
        assert await matching.join(desk, 1, "pvp", ticket(1)) == 0
        assert await matching.join(desk, 1, "pvp", ticket(6)) == 0
        assert await matching.sweep(desk) == 1


async def test_what_is_not_there_cannot_be_played(game: Database) -> None:
    for setting, player in ((77, 1), (1, 4711)):
        with pytest.raises(NotPlayable):
            async with game.transaction() as desk:
                await matching.join(desk, setting, "pvp", ticket(player))
    assert await game.read("SELECT count(*) FROM ticket") == [(0,)]


async def test_a_seat_is_never_given_away_twice(game: Database) -> None:
    async with game.transaction() as desk:
        await open_room(desk, "pvp", 1, "a", [1, 2])
    with pytest.raises(SeatTaken):
        async with game.transaction() as desk:
            await open_room(desk, "pvp", 1, "b", [2, 3])
    assert await game.read("SELECT player_id FROM seat ORDER BY player_id") == [(1,), (2,)]


async def test_a_machine_is_started_once_played_and_free_again(game: Database) -> None:
    async with game.transaction() as desk:
        room = await machines.start(desk, 1, MachineStart(start_id="s", player_id=1))
        assert await machines.start(desk, 1, MachineStart(start_id="s", player_id=1)) == room
        assert await machines.start(desk, 1, MachineStart(start_id="other", player_id=2)) is None
        assert await machines.start(desk, 2, MachineStart(start_id="busy", player_id=1)) is None
        assert await machines.play(desk, 1)
        assert not await machines.play(desk, 2)
        assert room is not None
        assert await close_room(desk, room)
        assert not await close_room(desk, room)
    assert await game.read("SELECT id, state FROM machine WHERE id < 3 ORDER BY id") == [(1, "idle"), (2, "idle")]


async def test_machines_whose_player_did_not_come_are_freed_and_overtime_is_noticed(game: Database) -> None:
    async with game.transaction() as desk:
        assert await machines.free_waiting(desk) == 1
        assert await machines.ping_overtime(desk) == 1
        assert await machines.ping_overtime(desk) == 1
    assert await game.read("SELECT state, pings FROM machine WHERE id > 90 ORDER BY id") == [
        ("idle", 0),
        ("overtime", 2),
    ]
