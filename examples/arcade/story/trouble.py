"""What operators see on a bad day."""

import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from uuid import uuid4

import httpx2

from examples.arcade.hall import APP
from examples.arcade.story.earning import give, must_add_up, wait_for_gifts
from examples.arcade.story.stage import Stage
from examples.running.checks import must
from examples.running.database.database import Row


def commands(stage: Stage) -> str:
    """Each of the four paths; everything is done once and gone from there."""
    stage.command("event_types", {"id": "e-1", "name": "Harvest"})
    stage.command("livestreams", {"id": "l-1", "streamerId": "erin", "title": "Milking at dawn"})
    stage.rows("the stream", "SELECT 1 FROM livestream WHERE id = 'l-1'")
    for points in (5, 7, 9):
        stage.command("yell_points_history", {"streamerId": "erin", "points": points})
    stage.command("commands/dev", {"type": "say", "user_id": 32, "data": {"text": "Hello!"}})
    stage.rows("what is said", "SELECT 1 FROM told WHERE player_id = 32 AND text = 'Hello!'")
    stage.rows("the event type", "SELECT 1 FROM event_type WHERE id = 'e-1'")
    stage.when(
        "cheers", lambda: stage.game.number("SELECT yell_points FROM streamer WHERE id = 'erin'"), lambda n: n == 21
    )
    for path in ("event_types", "livestreams", "yell_points_history", "commands/dev"):
        stage.when(f"{path} to be empty", lambda path=path: stage.still_there(path), lambda left: left is None)  # type: ignore[misc]
    return "6 commands on commands/dev, event_types, livestreams and yell_points_history: done once, all removed"


def poison(stage: Stage) -> str:
    """A command that cannot be done, one of no known type, and what is no command: dead letters, alerts, a replay."""
    stage.command("commands/dev", {"type": "play_machine", "user_id": 33, "data": {"machineId": 3}})
    stage.command("commands/dev", {"type": "dance", "user_id": 33, "data": {}})
    stage.command("commands/dev", {"type": "end_room", "user_id": 33, "data": {"roomId": "the big one"}})
    told = stage.when(
        "three dead letters",
        lambda: stage.game.read("SELECT id, reason, message, origin, state FROM letter"),
        lambda rows: len(rows) >= 3 and all(one[4] == "told" for one in rows),
    )
    must(len(told) == 3, f"the letters are {told}")
    must(all(one[3] for one in told), f"a letter without its origin: {told}")
    stage.when("them to be removed", lambda: stage.still_there("commands/dev"), lambda left: left is None)
    must(len(stage.webhook.alerts) >= 3, f"the webhook was told {stage.webhook.alerts}")
    # An operator mends what was wrong, and puts the command back to work.
    stage.ask("POST", "machines/3/start", {"startId": str(uuid4()), "playerId": 33})
    stage.rows("machine 3", "SELECT 1 FROM machine WHERE id = 3 AND state = 'waiting'")
    [letter] = [one[0] for one in told if "does not wait" in one[2]]
    stage.goatherd("dead", "replay", APP, letter, "--yes")
    stage.rows("the game", "SELECT 1 FROM machine WHERE id = 3 AND state = 'playing'")
    reasons = ", ".join(sorted(one[1] for one in told))
    return f"3 dead letters ({reasons}), 3 alerts by HTTP; mended and replayed by hand, one of them is done"


def killed(stage: Stage) -> str:
    """Both processes of the batch side are killed with -9, one after the other, while gifts and players come."""
    restarts = [program.restarts for program in stage.hall.batch]

    def kill_both() -> None:
        for program in stage.hall.batch:
            time.sleep(0.5)
            program.kill()
            program.await_ready()

    given: Counter[str] = Counter()
    with ThreadPoolExecutor(1) as killer:
        killing = killer.submit(kill_both)
        tickets = stage.want_to_play("pvp", 3, range(34, 40), times=2)
        while not killing.done():
            given.update(give(stage))
            wait([killing], timeout=0.3)
        killing.result()
    wait_for_gifts(stage, given)
    stage.when("all to be matched", lambda: stage.tickets(tickets), _all_matched)
    again = [program.restarts - before for program, before in zip(stage.hall.batch, restarts, strict=True)]
    must(again == [1, 1], f"they were started again {again} times")
    must_add_up(stage)
    return f"both killed: {sum(given.values())} coins of gifts, exact and in order; 6 players in 3 rooms; coins add up"


def _all_matched(rows: Sequence[Row]) -> bool:
    return len(rows) == 6 and {one[0] for one in rows} == {"matched"}


def queue_deleted(stage: Stage) -> str:
    """Somebody deletes the queue of a listener; it is there again, and the listener with it."""
    management = stage.hall.environment["ARCADE_RABBITMQ_MANAGEMENT_URL"]
    queue = "matching-pvp-2"
    answer = httpx2.delete(f"{management}/api/queues/%2F/{queue}", timeout=20)
    must(answer.status_code == 204, f"RabbitMQ answered with {answer.status_code}: {answer.text}")
    began = time.monotonic()
    heard = [program.hear(rf"Recovered listener: {queue}", 30) for program in stage.hall.batch]
    must(any(heard), f"nobody says that {queue} was recovered")
    tickets = stage.want_to_play("pvp", 2, [14, 15])
    stage.when("tickets", lambda: stage.tickets(tickets), lambda rows: len(rows) == 2)
    return f"`Recovered listener: {queue}` after {time.monotonic() - began:.1f} s; messages arrive as before"
