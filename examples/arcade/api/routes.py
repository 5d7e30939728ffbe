"""The endpoints. What is accepted (202) is on its queue, or in its counter; whatever is sent twice counts once."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from examples.arcade.batch.fixed import draw, invite
from examples.arcade.batch.gifts import pending_gift
from examples.arcade.batch.listeners import create_room, match_several, match_two, start_machine
from examples.arcade.contract import GACHA, Draw, Invitation, MachineStart, Ticket
from examples.arcade.herd import arcade, database

routes = APIRouter(prefix="/api/v1")

QUEUES = {"pool": create_room, "pvp": match_two, "multi": match_several}
Id = Annotated[str, Field(min_length=1, max_length=100)]
Number = Annotated[int, Field(ge=1, le=2**31)]


class Body(BaseModel):
    """Names as in JavaScript, as in the messages."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")


class NewGift(Body):
    """What a viewer gives."""

    gift_id: Id
    streamer_id: Id
    bcoin: Annotated[int, Field(ge=1, le=1_000_000)]


class NewTicket(Body):
    """A player who wants to play."""

    ticket_id: Id
    player_id: Number


class NewStart(Body):
    """A coin in a machine."""

    start_id: Id
    player_id: Number


class NewDraw(Body):
    """A draw."""

    draw_id: Id
    player_id: Number


class NewInvitation(Body):
    """A player asks another one into a room."""

    invitation_id: Id
    room_id: Number
    player_id: Number
    guest_id: Number


class Setting(Body):
    """What can be played."""

    name: Id
    players: Annotated[int, Field(ge=2, le=100)]
    band: Annotated[int, Field(ge=0)]
    playable: bool = True


@routes.post("/gifts", status_code=202)
async def give(gifts: list[NewGift]) -> dict[str, int]:
    """Gifts of viewers; one that is sent again, under its id, is not counted again."""
    for one in gifts:
        await pending_gift.add(one.streamer_id, one.bcoin, id=one.gift_id)
    return {"accepted": len(gifts)}


@routes.post("/settings/{setting_id}/{kind}", status_code=202)
async def want_to_play(
    setting_id: Number, kind: Literal["pool", "pvp", "multi"], tickets: list[NewTicket]
) -> dict[str, int]:
    """Players who want to play: alone at first, with another, or with several."""
    wishes = [Ticket(ticket_id=one.ticket_id, player_id=one.player_id) for one in tickets]
    await arcade.send_many(QUEUES[kind].job(setting_id, wish) for wish in wishes)
    return {"accepted": len(wishes)}


@routes.post("/machines/{machine_id}/start", status_code=202)
async def start(machine_id: Number, new: NewStart) -> dict[str, int]:
    """A coin in a machine."""
    await start_machine.send(machine_id, MachineStart(start_id=new.start_id, player_id=new.player_id))
    return {"accepted": 1}


@routes.post("/gacha/{name}", status_code=202)
async def gacha(name: str, new: NewDraw) -> dict[str, int]:
    """A draw."""
    if name not in GACHA:
        raise HTTPException(404, f"There is no gacha {name!r}; there are {', '.join(GACHA)}.")
    await draw.send(name, Draw(draw_id=new.draw_id, player_id=new.player_id))
    return {"accepted": 1}


@routes.post("/invitations", status_code=202)
async def invitation(new: NewInvitation) -> dict[str, int]:
    """A player asks another one into a room."""
    await invite.send(Invitation(**new.model_dump()))
    return {"accepted": 1}


@routes.get("/rooms")
async def rooms() -> list[dict[str, Any]]:
    """Rooms that are open."""
    rows = await database.read("SELECT id, kind, place FROM room WHERE state = 'open' ORDER BY id")
    return [{"id": room_id, "kind": kind, "place": place} for room_id, kind, place in rows]


@routes.put("/settings/{setting_id}")
async def change_setting(setting_id: Number, new: Setting) -> dict[str, int]:
    """Have a setting, or another one in its place; its queues are listened to while it is playable."""
    async with database.transaction() as desk:
        await desk.do(
            "INSERT INTO playable_setting (id, name, players, band, playable) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (id) DO UPDATE SET name = excluded.name, players = excluded.players, band = excluded.band, "
            "playable = excluded.playable",
            setting_id, new.name, new.players, new.band, new.playable,
        )  # fmt: skip
    return {"id": setting_id}


@routes.put("/machines/{machine_id}")
async def place_machine(machine_id: Number, name: Id) -> dict[str, int]:
    """Put a machine into the hall."""
    async with database.transaction() as desk:
        await desk.do(
            "INSERT INTO machine (id, name) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
            machine_id, name,
        )  # fmt: skip
    return {"id": machine_id}


@routes.delete("/machines/{machine_id}")
async def take_machine_away(machine_id: Number) -> dict[str, int]:
    """Take a machine away; nobody listens to its queue any more."""
    async with database.transaction() as desk:
        await desk.do("DELETE FROM machine WHERE id = ?", machine_id)
    return {"id": machine_id}
