"""Start all of Comments with one command: python -m examples.comments [--once] [--servers] [--folder PATH]

All programs run until Ctrl-C on SQLite files; with --servers on a RabbitMQ, a Redis and a PostgreSQL that are started
for them, and with the variables of these on yours. With --once a user's story is played and checked instead.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from examples.comments.board import Board
from examples.comments.story.play import play
from examples.comments.story.stage import SETTINGS
from examples.running.command import last_words, run, teller, until_ctrl_c

COLOURS: Mapping[str, str] = {"api": "cyan", "worker 1": "green", "worker 2": "blue"}
SERVERS: Mapping[str, str] = {
    "rabbitmq": "COMMENTS_RABBITMQ_URL",
    "redis": "COMMENTS_REDIS_URL",
    "postgres": "COMMENTS_DATABASE_URL",
}


def open_board(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Run all programs until Ctrl-C."""
    with Board(folder, servers, teller(console, COLOURS)) as board:
        console.print(f"\nThe board is open at [bold]{board.url}[/]; files are in {folder}. Ctrl-C ends everything.\n")
        until_ctrl_c(console)
    return 0


def play_once(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Play the story; 0 only if all held."""
    with Board(folder, {**SETTINGS, **servers}, lambda _name, _line: None) as board:
        checklist = play(board)
    console.print(checklist.table())
    if checklist.all_held:
        return 0
    last_words(console, board.programs)
    return 1


if __name__ == "__main__":
    sys.exit(run("comments", servers=SERVERS, opened=open_board, once=play_once))
