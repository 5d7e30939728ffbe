"""A small arcade, as users write it, for the stories in this folder."""

from dataclasses import dataclass
from typing import Any

from goatherd import Context, GiveUp, Goatherd, Retry, RetryLater

arcade = Goatherd("arcade")

#: What happened, in order.
diary: list[str] = []


@dataclass
class Player:
    id: int
    rating: int = 1200


async def playable_settings() -> list[int]:
    raise RuntimeError("there is no database in a test")


@arcade.listeners("matching-pvp-{}", playable_settings, format="plain", retry=Retry(1, base=10, jitter=0))
async def join_match(ctx: Context, setting: int, player: Player, /) -> str:
    diary.append(f"player {player.id} in {setting}")
    if player.rating < 0:
        raise RetryLater(after=5)
    if player.rating == 0:
        raise GiveUp("banned")
    return f"{setting}:{player.id}"


@arcade.listeners("{}", ["prize-gold", "prize-silver"])
def allocate_prize(queue: str, user: int, prize: str = "cup") -> None:
    diary.append(f"{prize} from {queue} for {user}")


gifts = arcade.tally("pending_gift")


@gifts.flush(every=5, retry=Retry(1, base=30, jitter=0))
async def apply_gifts(streamer: str, total: int) -> int:
    diary.append(f"{total} for {streamer}")
    if total == 13:
        raise ValueError("an unlucky number")
    return total


commands = arcade.inbox("firebase+https://arcade.firebaseio.com/commands/prod", route="type")


@commands.on("start_machine", retry=Retry(1, base=10, jitter=0))
async def start_machine(ctx: Context, user_id: int, data: dict[str, Any]) -> str:
    diary.append(f"start {data['machine']} for {user_id}")
    return ctx.job_id


@commands.on("invite")
async def invite(user_id: int, setting: int) -> None:
    await join_match.send(setting, Player(user_id))
