"""The game loop: matchmaking, machines that wait, machines in overtime."""

from examples.arcade.batch import machines, matching
from examples.arcade.batch.jobs.ticks import once
from examples.arcade.herd import arcade, settings
from goatherd import Context


@arcade.every(settings.matchmaking / 1000, overlap="forbid")
async def matchmaking(ctx: Context) -> int:
    """Seat those whom nobody fitted, in wider bands."""
    return await once(ctx, "matchmaking", matching.sweep)


@arcade.every(settings.machine_waiting / 1000)
async def machine_waiting(ctx: Context) -> int:
    """Free the machines whose player did not come."""
    return await once(ctx, "machine_waiting", machines.free_waiting)


@arcade.every(settings.overtime_ping / 1000, after_end=True)
async def overtime_ping(ctx: Context) -> int:
    """Ask at machines whose game takes too long."""
    return await once(ctx, "overtime_ping", machines.ping_overtime)
