"""Listeners whose queues are decided by rows: rows that come and go while it runs add and remove listeners."""

from examples.arcade.batch import machines, matching
from examples.arcade.contract import MACHINE_START, MULTI, POOL, PVP, MachineStart, Ticket
from examples.arcade.herd import arcade, database, settings
from goatherd import Context


async def playable_settings() -> list[int]:
    """Which settings can be played now."""
    return [int(row[0]) for row in await database.read("SELECT id FROM playable_setting WHERE playable ORDER BY id")]


async def working_machines() -> list[int]:
    """Which machines are there."""
    return [int(row[0]) for row in await database.read("SELECT id FROM machine WHERE state <> 'broken' ORDER BY id")]


@arcade.listeners(POOL, playable_settings, every=settings.look_every, format="plain")
async def create_room(ctx: Context, setting_id: int, ticket: Ticket, /) -> None:
    """Create a room for a player who wants to be found there."""
    async with database.transaction() as desk:
        room = await matching.open_pool(desk, setting_id, ticket)
    ctx.log.info("player %d: room %s", ticket.player_id, room)


@arcade.listeners(PVP, playable_settings, every=settings.look_every, format="plain")
async def match_two(ctx: Context, setting_id: int, ticket: Ticket, /) -> None:
    """Match two players."""
    async with database.transaction() as desk:
        opened = await matching.join(desk, setting_id, "pvp", ticket)
    ctx.log.info("player %d waits or plays; %d rooms were opened", ticket.player_id, opened)


@arcade.listeners(MULTI, playable_settings, every=settings.look_every, format="plain")
async def match_several(ctx: Context, setting_id: int, ticket: Ticket, /) -> None:
    """Match as many players as the setting is for."""
    async with database.transaction() as desk:
        opened = await matching.join(desk, setting_id, "multi", ticket)
    ctx.log.info("player %d waits or plays; %d rooms were opened", ticket.player_id, opened)


@arcade.listeners(MACHINE_START, working_machines, every=settings.look_every, format="plain")
async def start_machine(ctx: Context, machine_id: int, wish: MachineStart, /) -> None:
    """Open the machine's start room."""
    async with database.transaction() as desk:
        room = await machines.start(desk, machine_id, wish)
    ctx.log.info("player %d at machine %d: room %s", wish.player_id, machine_id, room)
