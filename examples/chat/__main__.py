"""Start the whole chat with one command: python -m examples.chat [--once] [--servers] [--folder PATH]

All programs run until Ctrl-C on one SQLite file; with --servers on a RabbitMQ and a Redis that are started for them,
and with CHAT_RABBITMQ_URL and REDIS_STREAMS_URL on those. With --once a user's story is played and checked instead.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from examples.chat.chat import Chat
from examples.chat.story.model_server import ModelServer
from examples.chat.story.play import play
from examples.chat.story.stage import SETTINGS
from examples.running.command import last_words, run, teller, until_ctrl_c

COLOURS: Mapping[str, str] = {"api": "cyan", "worker": "green", "router": "blue", "gateway": "magenta"}


def open_chat(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Run all programs until Ctrl-C."""
    with Chat(folder, servers, teller(console, COLOURS)) as chat:
        console.print(f"\nThe chat is open at [bold]{chat.url}[/]; files are in {folder}. Ctrl-C ends everything.\n")
        until_ctrl_c(console)
    return 0


def play_once(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Play the story; 0 only if all held."""
    with ModelServer() as model:
        settings = {**SETTINGS, "CHAT_API_BASE": model.url, **servers}
        with Chat(folder, settings, lambda _name, _line: None) as chat:
            checklist = play(chat, model)
    console.print(checklist.table())
    if checklist.all_held:
        return 0
    last_words(console, chat.programs)
    return 1


if __name__ == "__main__":
    names = {"rabbitmq": "CHAT_RABBITMQ_URL", "redis": "REDIS_STREAMS_URL"}
    sys.exit(run("chat", servers=names, opened=open_chat, once=play_once))
