"""Commands that apps put into the Realtime Database: each is stored, removed there, and done."""

from typing import Any

import msgspec

from examples.arcade.batch import machines
from examples.arcade.batch.fixed import notify
from examples.arcade.batch.rooms import close_room
from examples.arcade.contract import Notification
from examples.arcade.herd import arcade, database, settings
from goatherd import Context, GiveUp

commands = arcade.inbox(settings.inbox_url(f"commands/{settings.env}"), route="type")
event_types = arcade.inbox(settings.inbox_url("event_types"))
livestreams = arcade.inbox(settings.inbox_url("livestreams"))
yells = arcade.inbox(settings.inbox_url("yell_points_history"))


class OfMachine(msgspec.Struct, frozen=True, rename="camel"):
    """The `data` of a command about a machine."""

    machine_id: int


class OfRoom(msgspec.Struct, frozen=True, rename="camel"):
    """The `data` of a command about a room."""

    room_id: int


@commands.on("play_machine")
async def play_machine(user_id: int, data: OfMachine) -> None:
    """The player is in the start room: the game begins."""
    async with database.transaction() as desk:
        if not await machines.play(desk, data.machine_id):
            raise GiveUp(f"machine {data.machine_id} does not wait for player {user_id}")


@commands.on("end_room")
async def end_room(user_id: int, data: OfRoom) -> None:
    """A room is over, and everybody gets up."""
    async with database.transaction() as desk:
        await close_room(desk, data.room_id)


@commands.on("say")
async def say(ctx: Context, user_id: int, data: dict[str, Any]) -> None:
    """Tell a player something; `ctx.job_id` is derived from the command's key, so it is told once."""
    text = str(data.get("text", ""))
    if not text:
        raise GiveUp("there is nothing to say")
    await notify.send(Notification(notification_id=ctx.job_id, player_id=user_id, text=text))


@event_types.on()
async def event_type(id: str, name: str) -> None:
    """A kind of event, or its new name."""
    async with database.transaction() as desk:
        await desk.do(
            "INSERT INTO event_type (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            id, name,
        )  # fmt: skip


@livestreams.on()
async def livestream(id: str, streamerId: str, title: str) -> None:  # noqa: N803 - the command's names
    """A stream that has begun."""
    async with database.transaction() as desk:
        await desk.do("INSERT INTO streamer (id) VALUES (?) ON CONFLICT (id) DO NOTHING", streamerId)
        await desk.do(
            "INSERT INTO livestream (id, streamer_id, title) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
            id, streamerId, title,
        )  # fmt: skip


@yells.on()
async def yell(ctx: Context, streamerId: str, points: int) -> None:  # noqa: N803 - the command's names
    """Viewers cheer: points for a streamer, once for each command."""
    async with database.transaction() as desk:
        new = await desk.do(
            "INSERT INTO yell (id, streamer_id, points) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING RETURNING id",
            ctx.job_id, streamerId, points,
        )  # fmt: skip
        if new:
            await desk.do("UPDATE streamer SET yell_points = yell_points + ? WHERE id = ?", points, streamerId)
