"""Run a command whose short-lived files are cheap: `python -m scripts.scratch pytest …`.

Tests start Python many hundred times, and databases and brokers wait for the disk at every commit. Nothing of that
outlives the run, and no test switches the power off, so all of it lies in one folder that is removed at the end:

- temporary files, those of the servers too, in memory where there is room for them (a TMPDIR that is set stays);
- bytecode, if Python was told to write none beside the sources: then each of the processes would compile everything
  again, which is half of what its start takes.
"""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

#: Where files lie in memory, on Linux, and the bytes that must be free there and in memory before it is used.
MEMORY = Path("/dev/shm")
ROOM = 6 * 1024**3
#: Short: sockets have their names in there, and those may not be long.
PREFIX = "goat-"
#: The file in the folder that its owner holds a lock on.
HELD = ".held"

#: Says that Python keeps no bytecode, and where it keeps it.
NO_BYTECODE, BYTECODE = "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"


def main(command: list[str]) -> int:
    """Run the command; the exit code is the command's."""
    if not command:
        print("usage: python -m scripts.scratch COMMAND…", file=sys.stderr)
        return 2
    memory = MEMORY if roomy(MEMORY) else None
    with scratch(memory) as folder:
        environment = with_bytecode(os.environ, folder / "bytecode")
        return _run(command, {"TMPDIR": str(folder), **environment} if memory else environment)


def with_bytecode(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The environment of processes that compile a module once for all of them, if need be in the folder."""
    if not environment.get(NO_BYTECODE):
        return dict(environment)
    kept = {name: value for name, value in environment.items() if name != NO_BYTECODE}
    return {BYTECODE: str(folder), **kept}


@contextmanager
def scratch(place: Path | None) -> Iterator[Path]:
    """A folder like /tmp, until the end; what killed runs left in that place is removed, too."""
    if place is not None:
        clear(place)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=place, ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / "new").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            # Nobody sees it before it is held.
            (folder / "new").rename(folder / HELD)
            folder.chmod(0o1777)
            yield folder


def clear(place: Path) -> None:
    """Remove the folders of runs that were killed: nobody holds them any more."""
    for held in place.glob(f"{PREFIX}*/{HELD}"):
        try:
            with held.open() as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # held, or another's
        shutil.rmtree(held.parent, ignore_errors=True)


def roomy(place: Path) -> bool:
    """Whether a run of all tests may have its files there."""
    try:
        left = os.statvfs(place)
        [free] = re.findall(r"^MemAvailable: *(\d+)", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except (OSError, ValueError):
        return False  # no Linux
    return os.access(place, os.W_OK) and min(left.f_bavail * left.f_frsize, int(free) * 1024) >= ROOM


def _run(command: list[str], environment: Mapping[str, str]) -> int:
    process = subprocess.Popen(command, env=environment)

    def tell(number: int, _frame: FrameType | None) -> None:
        process.send_signal(number)

    signal.signal(signal.SIGTERM, tell)
    signal.signal(signal.SIGHUP, tell)
    # A terminal tells all of us.
    signal.signal(signal.SIGINT, lambda *_: None)
    code = process.wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
