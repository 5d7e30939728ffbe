"""Start the whole kitchen with one command: python -m examples.kitchen [--once] [--servers] [--folder PATH]

All programs run until Ctrl-C on one SQLite file; with --servers on a RabbitMQ and a Redis that are started for them,
and with RABBITMQ_URL on that broker. With --once a user's story is played and checked instead.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from examples.kitchen.kitchen import Kitchen
from examples.kitchen.story.play import play
from examples.kitchen.story.stage import SETTINGS
from examples.kitchen.trap_site import TrapSite
from examples.running.command import last_words, run, teller, until_ctrl_c

COLOURS: Mapping[str, str] = {"main": "cyan", "crawler": "green", "ai": "magenta"}


def open_kitchen(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Run all programs until Ctrl-C."""
    with TrapSite() as site, Kitchen(folder, servers, teller(console, COLOURS)) as kitchen:
        console.print(f"\nThe kitchen is open at [bold]{kitchen.url}[/]; files are in {folder}.")
        console.print(f"A site to crawl, with 200 pages and traps: [bold]{site.url}/[/]. Ctrl-C ends everything.\n")
        until_ctrl_c(console)
    return 0


def play_once(console: Console, folder: Path, servers: Mapping[str, str]) -> int:
    """Play the story; 0 only if all held."""
    with TrapSite() as site, Kitchen(folder, {**SETTINGS, **servers}, lambda _name, _line: None) as kitchen:
        checklist = play(kitchen, site)
    console.print(checklist.table())
    if checklist.all_held:
        return 0
    last_words(console, kitchen.programs)
    return 1


if __name__ == "__main__":
    names = {"rabbitmq": "RABBITMQ_URL", "redis": "GOATHERD_EVENTS_URL"}
    sys.exit(run("kitchen", servers=names, opened=open_kitchen, once=play_once))
