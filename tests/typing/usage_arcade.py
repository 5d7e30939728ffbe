"""What begins by itself, as users write it: schedules, listeners from data, tallies, commands from outside."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, assert_type

from goatherd import Alert, Context, DeadLetter, Goatherd, Inbox, Retry, RetryLater, Tally, Task, sync
from goatherd.sync import blocking
from goatherd.testing import JobRecord, testing

arcade = Goatherd("arcade")


@dataclass
class Player:
    id: int
    rating: int


@arcade.lifespan
async def game_state() -> AsyncIterator[None]:
    print("open the pool")
    yield
    print("close it")


@arcade.around
async def traced(ctx: Context) -> AsyncIterator[None]:
    print("before", ctx.job_id)
    yield
    print("after", ctx.job_id)


@arcade.on_dead_letter
async def review(letter: DeadLetter) -> None:
    print(letter.queue, letter.task, letter.message)


@arcade.on_alert
async def page(alert: Alert) -> None:
    assert_type(alert.message, str)
    print(alert.kind, alert.subject, alert.message, alert.since.isoformat(), alert.resolved_at is None)


# --- schedules ------------------------------------------------------------------------------------


@arcade.cron("0 0 2 * * *", tz="Asia/Tokyo", setting="ARCHIVE_CRON")
async def archive(ctx: Context) -> None:
    ctx.log.info("archiving")


@arcade.every(60, setting="MATCHMAKING_SECONDS", overlap="forbid", jitter=1, min_spacing=30)
async def matchmaking() -> int:
    return 2


@arcade.every(timedelta(seconds=5), after_end=True, misfire="skip", retry=Retry(0), timeout=4)
def ping_machines() -> None: ...


@arcade.cron("*/5 * * * *", misfire=3, overlap="queue", queue="reports", name="reports")
def report(ctx: sync.Context) -> str:
    return ctx.run_id


# --- listeners ------------------------------------------------------------------------------------


async def playable_settings() -> list[int]:
    return [1, 2, 3]


async def machines() -> AsyncIterator[set[str]]:
    yield {"claw-1"}


@arcade.listeners("matching-pvp-{}", playable_settings, every=10, format="plain")
async def join_match(setting_id: int, player: Player, /) -> None:
    if player.rating < 0:
        raise RetryLater(after=5)


@arcade.listeners("machine-start-{}", machines, timeout=30)
def switch_on(machine: str, user: int) -> bool:
    return bool(machine) and user > 0


@arcade.listeners("{}", ["prize-gold", "prize-silver"], format="plain")
async def allocate_prize(ctx: Context, queue: str, user_id: int, prize: str) -> None:
    ctx.log.info("%s: %s for %d", queue, prize, user_id)


# --- tallies --------------------------------------------------------------------------------------

gifts = arcade.tally("pending_gift")
gift_queue = arcade.queue("livestream-viewer-gift", format="plain")
assert_type(gifts, Tally)


@gifts.flush(every=5, queue=gift_queue)
async def apply_gifts(streamer_id: str, total_coins: int) -> int:
    return total_coins


# --- inboxes --------------------------------------------------------------------------------------

commands = arcade.inbox("firebase+https://arcade.firebaseio.com/commands/prod", route="type")
assert_type(commands, Inbox)


@commands.on("start_machine", retry=Retry(5), timeout=30)
async def start_machine(ctx: Context, user_id: int, data: dict[str, Any]) -> str:
    return ctx.job_id


@commands.on()
def note(command: dict[str, Any], /) -> None: ...


def kind(command: Mapping[str, Any]) -> str:
    return str(command["kind"])


others = arcade.inbox("redis://localhost/0?stream=others", route=kind)
rest: Inbox = arcade.inbox("redis://localhost/0?list=rest")


@others.on("yell")
async def yell(ctx: Context, points: int) -> int:
    return ctx.attempt * points


# --- in use ---------------------------------------------------------------------------------------


async def play() -> None:
    async with arcade.serve("worker", "scheduler"):
        await archive.send()
        assert_type(await matchmaking(), int)
        assert_type(await matchmaking.call(), int)
        blocking(ping_machines).send()
        here: str = report()
        await gifts.add("streamer-1", 100)
        await gifts.add("streamer-1", 100, id="gift-7")
        await join_match.send(2, Player(7, 1500))
        await join_match.options(delay=5).send(7, Player(1, 1200))
        started: bool = await switch_on.call("claw-1", user=5)
        run = await allocate_prize.start("prize-gold", 5, prize="cup")
        await run.result()
        await arcade.send_many([join_match.job(1, Player(2, 900)), allocate_prize.job("prize-gold", 5, "cup")])
        await start_machine(1, {})
        assert_type(await yell(3), int)
        await start_machine.send(user_id=1, data={"machine": 7})
        assert here
        assert started == switch_on("claw-1", 5)


async def change_plans() -> None:
    await arcade.schedules.set("vip", allocate_prize.job("prize-gold", 7, "cup"), cron="0 0 9 * * *")
    await arcade.schedules.set("often", yell.job(3), every=timedelta(minutes=1))
    await arcade.schedules.pause("vip")
    await arcade.schedules.resume("vip")
    await arcade.schedules.trigger("vip")
    await arcade.schedules.remove("vip")


async def test_them() -> None:
    async with testing(arcade) as t:
        await t.command(commands, {"type": "start_machine", "user_id": 1, "data": {}})
        await t.command(commands, b'{"type": ', key="k1")
        await gifts.add("streamer-1", 100)
        await t.advance(5)
        totals: list[JobRecord[int]] = t.jobs(apply_gifts)
        assert_type(t.jobs(matchmaking), list[JobRecord[int]])
        assert_type(t.jobs(join_match), list[JobRecord[None]])
        assert totals
        t.crash(join_match)
        t.duplicate(archive)
        t.lose_lease(apply_gifts)

        async def keep(streamer_id: str, total_coins: int) -> int:
            return total_coins + len(streamer_id)

        async def join(setting_id: int, player: Player, /) -> None: ...

        t.fake(apply_gifts, keep)
        t.fake(join_match, join)


ticks: list[Task[[], Any]] = [archive, matchmaking, ping_machines, report]
named: Task[[int], int] = yell
