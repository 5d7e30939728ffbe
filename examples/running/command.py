"""What `python -m examples.NAME [--once] [--servers] [--folder PATH]` does before and after the example's own work."""

import argparse
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from rich.console import Console

from examples.running.programs import DidNotStart, Program, Tell
from examples.running.servers import listed, private_servers
from scripts.servers.install import NoServer

#: Is given the folder for all files and what the servers add to the environment.
Work = Callable[[Console, Path, Mapping[str, str]], int]


def run(name: str, *, servers: Mapping[str, str], opened: Work, once: Work) -> int:
    """Read the arguments and do one of the two; `servers` are those that it can use, with the variables naming them."""
    said = _parser(name, listed(servers)).parse_args()
    # Also where it is started in the background, with SIGINT ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
    console = Console(highlight=False)
    try:
        with ExitStack() as life:
            folder = said.folder or Path(life.enter_context(_temporary_folder(name))).resolve()
            started: Mapping[str, str] = {}
            if said.servers:
                started = life.enter_context(private_servers(folder, servers))
            return (once if said.once else opened)(console, folder, started)
    except (DidNotStart, NoServer) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


def teller(console: Console, colours: Mapping[str, str]) -> Tell:
    """Shows what programs say, each in its colour."""

    # Each program has a thread of its own that tells what it says.
    turn = threading.Lock()

    def tell(name: str, line: str) -> None:
        with turn:
            console.print(f"[{colours.get(name, 'yellow')}]{name:<8}[/] ", end="")
            console.print(line, markup=False, soft_wrap=True)

    return tell


def until_ctrl_c(console: Console) -> None:
    """Return when the user has had enough."""
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        console.print("Ending …")


def last_words(console: Console, programs: tuple[Program, ...]) -> None:
    """Show what the programs said last, where something is broken."""
    for program in programs:
        console.print(f"\nThe last words of {program.name}:")
        console.print("\n".join(program.lines[-30:]), markup=False, soft_wrap=True)


def _parser(name: str, servers: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m examples.{name}", description=f"Run the programs of {name}.")
    parser.add_argument("--once", action="store_true", help="play a user's story, check every outcome, and end")
    parser.add_argument("--servers", action="store_true", help=f"on {servers} that are started for it")
    parser.add_argument("--folder", type=Path, help="keep all files here, instead of in a temporary folder")
    return parser


def _temporary_folder(name: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix=f"goatherd-{name}-", ignore_cleanup_errors=True)


def _leave(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
