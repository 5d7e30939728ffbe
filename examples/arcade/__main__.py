"""Start all of Arcade with one command: python -m examples.arcade [--once] [--servers] [--folder PATH]

All programs run until Ctrl-C on SQLite files, with players and viewers who keep them busy; with --servers on a
RabbitMQ, a Redis and a PostgreSQL that are started for them, and with the variables of these on yours. With --once a
user's story is played and checked instead.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from examples.arcade.hall import Hall
from examples.arcade.story.play import play
from examples.arcade.story.stage import SETTINGS
from examples.arcade.story.webhook import Webhook
from examples.running.command import last_words, run, teller, until_ctrl_c

COLOURS: Mapping[str, str] = {
    "api": "cyan",
    "batch 1": "green",
    "batch 2": "blue",
    "firebase": "red",
    "crowd": "magenta",
}
SERVERS: Mapping[str, str] = {
    "rabbitmq": "ARCADE_RABBITMQ_URL",
    "redis": "ARCADE_REDIS_URL",
    "postgres": "ARCADE_DATABASE_URL",
}


def open_hall(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Run all programs until Ctrl-C."""
    with Hall(folder, servers, teller(console, COLOURS), crowd=True) as hall:
        console.print(f"\nThe arcade is open at [bold]{hall.url}[/]; files are in {folder}. Ctrl-C ends everything.")
        console.print(f"Commands are taken from {hall.firebase_url}/commands/dev.json\n", soft_wrap=True)
        until_ctrl_c(console)
    return 0


def play_once(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Play the story; 0 only if all held."""
    with Webhook() as webhook:
        settings = {**SETTINGS, "ALERT_WEBHOOK_URL": webhook.url, **servers}
        with Hall(folder, settings, lambda _name, _line: None) as hall:
            checklist = play(hall, webhook)
    console.print(checklist.table())
    if checklist.all_held:
        return 0
    last_words(console, hall.programs)
    return 1


if __name__ == "__main__":
    sys.exit(run("arcade", servers=SERVERS, opened=open_hall, once=play_once))
