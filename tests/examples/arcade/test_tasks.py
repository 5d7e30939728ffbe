"""The tasks as workers do them: messages that come twice, prizes that jobs send, gifts, and dead letters."""

from examples.arcade.batch.fixed import allocate_prize, draw
from examples.arcade.batch.gifts import apply_gifts, pending_gift
from examples.arcade.batch.jobs.leaderboard import leaderboard_daily
from examples.arcade.batch.listeners import create_room, match_two
from examples.arcade.contract import Draw, Prize, Ticket
from examples.arcade.herd import arcade
from examples.running.database.database import Database
from goatherd.testing import Herd


async def test_players_are_matched_from_the_queue_of_their_setting(herd: Herd, database: Database) -> None:
    for _ in range(2):
        await arcade.send_many(match_two.job(1, Ticket(ticket_id=f"t{player}", player_id=player)) for player in (1, 2))
    await create_room.send(2, Ticket(ticket_id="pool", player_id=3))
    await herd.drain()
    assert await database.read("SELECT count(*), count(DISTINCT room_id) FROM seat") == [(3, 2)]
    assert not herd.dead


async def test_a_setting_that_is_gone_leaves_a_letter_with_its_origin(herd: Herd, database: Database) -> None:
    await match_two.send(1, Ticket(ticket_id="t", player_id=4711))
    await herd.drain()
    rows = await database.read("SELECT origin, task, reason, message, state FROM letter")
    assert rows == [("matching-pvp-1", "match_two", "gave_up", "GiveUp: there is no player 4711", "told")]


async def test_a_prize_is_given_once_and_a_draw_is_paid_once(herd: Herd, database: Database) -> None:
    for _ in range(2):
        await allocate_prize.send("login", Prize(award_id="a", player_id=1, coins=5))
        await draw.send("ten-draw", Draw(draw_id="d", player_id=1))
    await herd.drain()
    assert await database.read("SELECT coins FROM player WHERE id = 1") == [(1000 + 5 - 90,)]


async def test_who_cannot_pay_does_not_draw_and_somebody_is_told(herd: Herd, database: Database) -> None:
    for number in range(12):
        await draw.send("ten-draw", Draw(draw_id=f"d{number}", player_id=1))
    await herd.drain()
    assert await database.read("SELECT coins FROM player WHERE id = 1") == [(1000 - 11 * 90,)]
    assert [(letter.queue, letter.attempts) for letter in herd.dead] == [("gacha-ten-draw", 1)]


async def test_a_board_that_is_over_gives_its_prizes_once_though_its_worker_dies(
    herd: Herd, database: Database
) -> None:
    herd.crash(leaderboard_daily, at="end")
    await leaderboard_daily.send()
    await herd.drain()
    assert await database.read("SELECT player_id, coins FROM booking ORDER BY coins") == [(8, 100), (9, 200), (10, 300)]
    assert await database.read("SELECT count(*) FROM attempt WHERE job = 'leaderboard_daily'") == [(2,)]


async def test_a_total_is_applied_once_though_its_worker_dies(herd: Herd, database: Database) -> None:
    herd.crash(apply_gifts, at="end")
    await apply_gifts.send("aiko", 7)
    await apply_gifts.send("aiko", 5)
    await herd.drain()
    assert await database.read("SELECT bcoin FROM streamer WHERE id = 'aiko'") == [(12,)]
    assert await database.read("SELECT total FROM gift_total ORDER BY number") == [(7,), (5,)]


async def test_jobs_begin_by_themselves_and_each_tick_once(herd: Herd, database: Database) -> None:
    start, end = herd.now.timestamp(), herd.now.timestamp() + 31
    await herd.advance(31)
    rows = await database.read("SELECT job, count(*) FROM done_tick GROUP BY job")
    ticks = {str(job): int(count) for job, count in rows}
    # Every 10 s, every 30 s, and 5 s after the last one ended, the first one at once.
    every_10, every_30 = (int(end // seconds - start // seconds) for seconds in (10, 30))
    assert (ticks["machine_waiting"], ticks["card_confirm"], ticks["overtime_ping"]) == (every_10, every_30, 7)
    assert await database.read("SELECT tick FROM attempt GROUP BY tick HAVING count(*) > 1") == []
    assert await database.read("SELECT state FROM payment WHERE id = 'card-3'") == [("done",)]


async def test_gifts_become_one_total_of_each_streamer(herd: Herd, database: Database) -> None:
    for number in range(10):
        for _ in range(2):
            await pending_gift.add(("aiko", "ben")[number % 2], 10, id=str(number))
    await herd.advance(6)
    assert await database.read("SELECT streamer_id, total FROM gift_total ORDER BY number") == [
        ("aiko", 50),
        ("ben", 50),
    ]
