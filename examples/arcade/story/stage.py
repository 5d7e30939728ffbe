"""Where the story plays: the programs, those who speak to them, and what is in the game."""

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

import httpx2

from examples.arcade.database.tables import game_at
from examples.arcade.hall import Hall
from examples.arcade.story.webhook import Webhook
from examples.running.checks import Broken, must
from examples.running.database.database import Row
from examples.running.programs import TOP

T = TypeVar("T")

#: What fires at the times of a cron expression; in the story every few seconds.
CRON_JOBS = (
    "CARD_EXPIRY", "CRYPTO_EXPIRY", "TOKEN_EXPIRY", "RENTAL_EXPIRY", "LIFE_GAUGE", "NFT_REVENUE", "LEADERBOARD_EVENT",
    "LEADERBOARD_TOURNAMENT", "LEADERBOARD_DAILY", "SITE_MAINTENANCE", "CLEAN_UP", "ARCHIVE_DATA", "DELETE_ACCOUNT",
)  # fmt: skip
#: Seconds between two ticks of each of them.
CRON_EVERY = 4
#: Everything is quick, so that the story is short.
SETTINGS = {
    "ARCADE_PORT": "0",
    "ARCADE_LOOK_EVERY": "0.5",
    "GOATHERD_LEASE": "5",
    "JOBS_MATCHMAKING_FIXEDRATE": "3000",
    "JOBS_MACHINE_WAITING_FIXEDRATE": "4000",
    "JOBS_OVERTIME_PING_FIXEDDELAY": "3000",
    "JOBS_CARD_CONFIRM_FIXEDRATE": "4000",
    "JOBS_TOKEN_CONFIRM_FIXEDRATE": "4000",
    "JOBS_GIFT_AGGREGATION_FIXEDDELAY": "300",
    **{f"BATCH_CRON_{name}": f"*/{CRON_EVERY} * * * * *" for name in CRON_JOBS},
}
#: Seconds that anything may take.
PATIENCE = 40.0


class Game:
    """The game's database, as anybody can look at it."""

    def __init__(self, url: str) -> None:
        self._runner = asyncio.Runner()
        self._database = game_at(url)

    def __enter__(self) -> "Game":
        self._runner.run(self._database.open())
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._database.close())
        self._runner.close()

    def read(self, sql: str, *values: object) -> Sequence[Row]:
        """What is there."""
        return self._runner.run(self._database.read(sql, *values))

    def number(self, sql: str, *values: object) -> int:
        """The one number that is asked for."""
        return int(self.read(sql, *values)[0][0] or 0)


@dataclass(frozen=True)
class Stage:
    """Every scene uses the same, with players and settings of its own."""

    hall: Hall
    client: httpx2.Client
    game: Game
    webhook: Webhook
    #: What streamers were given in all scenes so far.
    given_before: Counter[str] = field(default_factory=Counter)

    # --- what people do ---------------------------------------------------------------------------

    def ask(self, method: str, path: str, body: object = None, expected: int = 202) -> Any:
        """Anything of the API; raises Broken if the status is another."""
        answer = self.client.request(method, f"/api/v1/{path}", json=body)
        told = f"{method} {path} was answered with {answer.status_code}: {answer.text[:300]}"
        must(answer.status_code == expected, told)
        return answer.json()

    def want_to_play(self, kind: str, setting_id: int, players: Sequence[int], times: int = 1) -> list[str]:
        """Each of them, so many times over: as messages that are delivered again. The ids of their tickets."""
        tickets = {str(uuid4()): player for player in players}
        wishes = [{"ticketId": ticket, "playerId": player} for ticket, player in tickets.items()]
        self.ask("POST", f"settings/{setting_id}/{kind}", wishes * times)
        return list(tickets)

    def command(self, path: str, content: object) -> str:
        """Put something into the Realtime Database, as apps do; its key there."""
        answer = httpx2.post(f"{self.hall.firebase_url}/{path}.json", json=content, timeout=PATIENCE)
        must(answer.status_code == 200, f"the Realtime Database answered with {answer.status_code}")
        return str(answer.json()["name"])

    def still_there(self, path: str) -> Any:
        """What is in the Realtime Database; None if nothing is."""
        return httpx2.get(f"{self.hall.firebase_url}/{path}.json", timeout=PATIENCE).json()

    def goatherd(self, *arguments: str) -> str:
        """A command of an operator; what it says. Raises Broken."""
        ended = subprocess.run(
            [sys.executable, "-m", "goatherd", *arguments], cwd=TOP, env=self.hall.environment, timeout=PATIENCE,
            check=False, capture_output=True, text=True,
        )  # fmt: skip
        must(ended.returncode == 0, f"goatherd {' '.join(arguments)} failed: {ended.stdout} {ended.stderr}")
        return ended.stdout

    def goatherd_json(self, *arguments: str) -> Any:
        """The same, as JSON."""
        return json.loads(self.goatherd(*arguments, "--json"))

    # --- what they wait for -----------------------------------------------------------------------

    def when(self, what: str, look: Callable[[], T], holds: Callable[[T], bool] = bool) -> T:
        """What is seen, once something holds of it; raises Broken."""
        until = time.monotonic() + PATIENCE
        while not holds(seen := look()):
            if time.monotonic() > until:
                raise Broken(f"waited {PATIENCE:g} s for {what} in vain: {str(seen)[:300]}")
            time.sleep(0.05)
        return seen

    def rows(self, what: str, sql: str, *values: object) -> Sequence[Row]:
        """What is asked for in the game, once there is any; raises Broken."""
        return self.when(what, lambda: self.game.read(sql, *values))

    def tickets(self, ids: Sequence[str]) -> list[Row]:
        """State, room, player and rating of each that is there."""
        marks = ", ".join("?" for _ in ids)
        sql = f"SELECT state, room_id, player_id, rating FROM ticket WHERE id IN ({marks}) ORDER BY room_id, rating"
        return list(self.game.read(sql, *ids))
