"""Coins: scheduled jobs, prizes, draws and gifts."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from uuid import uuid4

from examples.arcade.database.seed import COINS, STREAMERS
from examples.arcade.story.stage import CRON_EVERY, Stage
from examples.running.checks import must

#: What every job had to do with what was there at first: the rows it changed.
FIRST_WORK = {
    "machine_waiting": 1, "overtime_ping": 1, "card_expiry": 1, "crypto_expiry": 1, "token_expiry": 1,
    "card_confirm": 1, "token_confirm": 1, "rental_expiry": 1, "life_gauge": 2, "nft_revenue": 3,
    "leaderboard_event": 1, "leaderboard_tournament": 1, "leaderboard_daily": 1, "clean_up": 3, "archive": 3,
    "delete_account": 1,
}  # fmt: skip
#: These have nothing to do on most days.
QUIET = ("matchmaking", "site_maintenance")
#: Sent to prize queues by them: three boards of 300, 200 and 100 coins, and what three NFTs have earned.
PRIZES = {"prize daily": 600, "prize event": 600, "prize tournament": 600, "prize nft-revenue": 300}
VIEWERS, GIFTS = 8, 40


def jobs(stage: Stage) -> str:
    """Every scheduled job fires, and does its work once."""
    stage.when("every job", lambda: set(dict(_ticks(stage))), lambda seen: seen >= {*FIRST_WORK, *QUIET})
    rows = stage.game.read("SELECT job, min(changed) FROM done_tick WHERE changed > 0 GROUP BY job")
    changed = {str(job): int(count) for job, count in rows}
    for job, wanted in FIRST_WORK.items():
        must(changed.get(job, 0) >= wanted, f"{job} changed {changed.get(job, 0)} rows, not {wanted}")
    return f"{len(FIRST_WORK) + len(QUIET)} schedules fired and did their work; the flush of gifts is the nineteenth"


def each_tick_once(stage: Stage) -> str:
    """Two processes look at the same clock: each tick has one attempt, at its time."""
    for program in stage.hall.batch:
        must(program.hear("Schedules: ") is not None, f"{program.name} does not look at the clock")
    tries = stage.game.read("SELECT tick, count(*) FROM attempt GROUP BY tick HAVING count(*) > 1")
    must(not tries, f"ticks with several attempts: {tries}")
    rows = stage.game.read("SELECT tick FROM done_tick WHERE job = 'life_gauge' ORDER BY tick")
    moments = [datetime.fromisoformat(tick.partition("@")[2]).timestamp() for (tick,) in rows]
    must(all(moment % CRON_EVERY == 0 for moment in moments), f"*/{CRON_EVERY} fired at {rows}")
    attempts = stage.game.number("SELECT count(*) FROM attempt")
    return f"{attempts} ticks of {len(FIRST_WORK) + len(QUIET)} schedules by two processes: at their times, none twice"


def prizes(stage: Stage) -> str:
    """What jobs sent to the prize queues was given, once; draws cost what they cost."""
    stage.when("all prizes", lambda: _booked(stage, "prize%"), lambda seen: seen == PRIZES)
    draw = {"drawId": str(uuid4()), "playerId": 30}
    for _ in range(3):
        stage.ask("POST", "gacha/ten-draw", draw)
    things = stage.rows("the draw", "SELECT text FROM told WHERE id = ?", draw["drawId"])
    must(len(things[0][0].split(", ")) == 10, f"the draw gave {things}")
    guest = {"invitationId": str(uuid4()), "roomId": 1, "playerId": 30, "guestId": 31}
    stage.ask("POST", "invitations", guest)
    stage.rows("the invitation", "SELECT text FROM told WHERE id = ?", guest["invitationId"])
    must_add_up(stage)
    given = sum(PRIZES.values())
    return f"{given} coins by 4 of the 9 prize queues; a draw that came three times cost 90 once; all coins add up"


def gifts(stage: Stage) -> str:
    """Viewers give at the same time, some of them twice since they did not see the answer."""
    given = give(stage)
    wait_for_gifts(stage, given)
    totals = stage.game.read("SELECT streamer_id, count(*) FROM gift_total GROUP BY streamer_id ORDER BY streamer_id")
    sent, again = VIEWERS * GIFTS, VIEWERS * GIFTS // 10
    return f"{sent} gifts, {again} of them sent twice: {sum(given.values())} coins, exact; totals: {dict(totals)}"


def give(stage: Stage) -> Counter[str]:
    """Eight viewers, in rounds of ten gifts; what each streamer should have got."""
    given: Counter[str] = Counter()

    def view(viewer: int) -> list[dict[str, object]]:
        sent: list[dict[str, object]] = []
        for _round in range(GIFTS // 10):
            batch: list[dict[str, object]] = [
                {"giftId": str(uuid4()), "streamerId": STREAMERS[(viewer + n) % 4], "bcoin": 1 + n * viewer}
                for n in range(10)
            ]
            stage.ask("POST", "gifts", batch)
            stage.ask("POST", "gifts", batch[:1])
            sent += batch
        return sent

    with ThreadPoolExecutor(VIEWERS) as threads:
        for sent in threads.map(view, range(VIEWERS)):
            for one in sent:
                given[str(one["streamerId"])] += int(str(one["bcoin"]))
    return given


def wait_for_gifts(stage: Stage, given: Counter[str]) -> None:
    """Until every streamer has just that, on top of what was there before; raises Broken."""
    before = stage.given_before
    before.update(given)
    seen = stage.when("all gifts", lambda: _coins(stage), lambda now: sum(now.values()) >= sum(before.values()))
    must(seen == dict(before), f"streamers have {seen} instead of {dict(before)}")
    rows = stage.game.read("SELECT streamer_id, sum(total) FROM gift_total GROUP BY streamer_id")
    totals = {str(name): int(total) for name, total in rows}
    must(totals == dict(before), f"their totals are {totals}")
    for name in before:
        jobs = stage.game.read("SELECT job_id FROM gift_total WHERE streamer_id = ? ORDER BY number", name)
        order = [int(job_id.rpartition(":")[2]) for (job_id,) in jobs]
        must(order == sorted(set(order)), f"the totals of {name} were applied in the order {order}")


def must_add_up(stage: Stage) -> None:
    """Every player has what was there at first and what was booked; raises Broken."""
    wrong = stage.game.read(
        "SELECT id, coins FROM player WHERE id < 900 AND coins <> ? + "
        "(SELECT coalesce(sum(booking.coins), 0) FROM booking WHERE player_id = player.id)",
        COINS,
    )  # fmt: skip
    must(not wrong, f"the coins of {wrong} do not add up")


def _ticks(stage: Stage) -> list[tuple[str, int]]:
    return [
        (str(job), int(count)) for job, count in stage.game.read("SELECT job, count(*) FROM done_tick GROUP BY job")
    ]


def _booked(stage: Stage, what: str) -> dict[str, int]:
    rows = stage.game.read("SELECT what, sum(coins) FROM booking WHERE what LIKE ? GROUP BY what", what)
    return {str(name): int(coins) for name, coins in rows}


def _coins(stage: Stage) -> dict[str, int]:
    return {str(name): int(coins) for name, coins in stage.game.read("SELECT id, bcoin FROM streamer WHERE bcoin > 0")}
