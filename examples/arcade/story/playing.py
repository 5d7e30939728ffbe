"""Players: they are matched, rooms are opened, rows come and go."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from uuid import uuid4

from examples.arcade.hall import APP
from examples.arcade.story.stage import Stage
from examples.running.checks import must
from examples.running.database.database import Row


def two_by_two(stage: Stage) -> str:
    """Eight players in one setting; every message comes three times."""
    _must_match(stage, "pvp", 1, range(1, 9), 2)
    return "8 players, every message three times: 4 rooms of two whose ratings are near; nobody is in two rooms"


def several(stage: Stage) -> str:
    """Eight players in a setting for four."""
    _must_match(stage, "multi", 2, range(13, 21), 4)
    return "8 players, every message three times: 2 rooms of four; nobody is in two rooms"


def machine(stage: Stage) -> str:
    """A coin, a start room, and a command that begins the game."""
    start = {"startId": str(uuid4()), "playerId": 21}
    for _ in range(3):
        stage.ask("POST", "machines/1/start", start)
    room = stage.rows("the start room", "SELECT id FROM room WHERE origin = ?", f"start:{start['startId']}")
    stage.want_to_play("pool", 3, [22])
    stage.rows("a pool", "SELECT 1 FROM seat WHERE player_id = 22")
    key = stage.command("commands/dev", {"type": "play_machine", "user_id": 21, "data": {"machineId": 1}})
    stage.rows("the game", "SELECT 1 FROM machine WHERE id = 1 AND state = 'playing'")
    stage.when("its removal", lambda: stage.still_there(f"commands/dev/{key}"), lambda left: left is None)
    must(stage.game.number("SELECT count(*) FROM seat WHERE room_id = ?", room[0][0]) == 1, "nobody is in its room")
    return "one start room for a coin that came three times; the command begins the game and is gone from Firebase"


def rows_come_and_go(stage: Stage) -> str:
    """A setting is added, taken away, and added again, while players go on."""
    setting = {"name": "New", "players": 3, "band": 1000}
    stage.ask("PUT", "settings/50", setting, 200)
    first = _settled(stage, stage.want_to_play("pvp", 50, [23, 24]))
    stage.ask("PUT", "settings/50", {**setting, "playable": False}, 200)
    stage.when("nobody to listen", lambda: _listeners(stage, "matching-pvp-50"), lambda found: not found)
    waiting = stage.want_to_play("pvp", 50, [25, 26, 27, 28])
    stage.ask("PUT", "machines/50?name=New", None, 200)
    start = {"startId": str(uuid4()), "playerId": 29}
    stage.ask("POST", "machines/50/start", start)
    stage.rows("a new machine", "SELECT 1 FROM room WHERE origin = ?", f"start:{start['startId']}")
    must(not stage.tickets(waiting), "somebody took what was for a setting that is not playable")
    stage.ask("PUT", "settings/50", setting, 200)
    second = _settled(stage, waiting)
    must({one[0] for one in [*first, *second]} == {"matched"}, f"the tickets are {first} and {second}")
    return "a new row is listened to; one taken away is not, and its messages wait; there again, all 4 are matched"


def _listeners(stage: Stage, queue: str) -> list[object]:
    return [one for one in stage.goatherd_json("listeners", "list", APP) if one["queue"] == queue]


def _must_match(stage: Stage, kind: str, setting_id: int, players: Sequence[int], size: int) -> None:
    tickets = _settled(stage, stage.want_to_play(kind, setting_id, players, times=3))
    must(len(tickets) == len(players), f"{len(players)} tickets became {len(tickets)}")
    must({one[0] for one in tickets} == {"matched"}, f"the tickets are {Counter(one[0] for one in tickets)}")
    band = 3 * stage.game.number("SELECT band FROM playable_setting WHERE id = ?", setting_id)
    rooms: dict[int, list[int]] = defaultdict(list)
    for _state, room, _player, rating in tickets:
        rooms[room].append(rating)
    for room, ratings in rooms.items():
        must(len(ratings) == size, f"room {room} has {len(ratings)} players")
        must(max(ratings) - min(ratings) <= band, f"room {room} has the ratings {ratings}")
    marks = ", ".join("?" for _ in players)
    seats = stage.game.read(f"SELECT player_id, room_id FROM seat WHERE player_id IN ({marks})", *players)
    must(dict(seats) == {player: room for _state, room, player, _rating in tickets}, f"they sit so: {seats}")


def _settled(stage: Stage, ids: Sequence[str]) -> list[Row]:
    return stage.when(
        "all to be matched",
        lambda: stage.tickets(ids),
        lambda rows: len(rows) == len(ids) and all(one[0] != "waiting" for one in rows),
    )
