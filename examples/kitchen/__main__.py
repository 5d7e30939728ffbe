"""Start the whole kitchen with one command: python -m examples.kitchen [--once] [--servers] [--folder PATH]

All programs run until Ctrl-C on one SQLite file; with --servers on a RabbitMQ and a Redis that are started for them,
and with RABBITMQ_URL on that broker. With --once a user's story is played and checked instead.
"""

import argparse
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from rich.console import Console

from examples.kitchen.brokers import embedded, private_servers
from examples.kitchen.kitchen import Kitchen
from examples.kitchen.programs import DidNotStart
from examples.kitchen.story.play import play
from examples.kitchen.story.stage import SETTINGS
from examples.kitchen.trap_site import TrapSite
from scripts.servers.install import NoServer

COLOURS: Mapping[str, str] = {"main": "cyan", "crawler": "green", "ai": "magenta"}


def main() -> int:
    """Run it; the exit code."""
    said = _parser().parse_args()
    # Also where it is started in the background, with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
    console = Console(highlight=False)
    try:
        with ExitStack() as life:
            folder = said.folder or Path(life.enter_context(_temporary_folder())).resolve()
            servers = life.enter_context((private_servers if said.servers else embedded)(folder))
            site = life.enter_context(TrapSite())
            return _play(console, folder, servers, site) if said.once else _open(console, folder, servers, site)
    except (DidNotStart, NoServer) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def _open(console: Console, folder: Path, servers: Mapping[str, str], site: TrapSite) -> int:
    def tell(name: str, line: str) -> None:
        console.print(f"[{COLOURS.get(name, 'yellow')}]{name:<8}[/]", end="")
        console.print(line, markup=False, soft_wrap=True)

    with Kitchen(folder, servers, tell) as kitchen:
        console.print(f"\nThe kitchen is open at [bold]{kitchen.url}[/]; files are in {folder}.")
        console.print(f"A site to crawl, with 200 pages and traps: [bold]{site.url}/[/]. Ctrl-C ends everything.\n")
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            console.print("Ending …")
    return 0


def _play(console: Console, folder: Path, servers: Mapping[str, str], site: TrapSite) -> int:
    with Kitchen(folder, {**SETTINGS, **servers}, lambda _name, _line: None) as kitchen:
        checklist = play(kitchen, site)
    console.print(checklist.table())
    if checklist.all_held:
        return 0
    for program in kitchen.programs:
        console.print(f"\nThe last words of {program.name}:")
        console.print("\n".join(program.lines[-30:]), markup=False, soft_wrap=True)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m examples.kitchen", description="Run the kitchen's three programs.")
    parser.add_argument("--once", action="store_true", help="play a user's story, check every outcome, and end")
    parser.add_argument("--servers", action="store_true", help="on a RabbitMQ and a Redis that are started for it")
    parser.add_argument("--folder", type=Path, help="keep all files here, instead of in a temporary folder")
    return parser


def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="goatherd-kitchen-", ignore_cleanup_errors=True)


def _leave(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
