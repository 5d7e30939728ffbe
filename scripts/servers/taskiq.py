"""An old TaskIQ in an environment of its own: no server, but had in the same way."""

import subprocess
from pathlib import Path

from scripts.servers.install import INSTALL_DEADLINE, NoServer

_SCRIPT = Path(__file__).parents[1] / "old-taskiq.sh"


def ensure_old_taskiq() -> str:
    """The path of a Python that has it, installed if it was missing; raises NoServer."""
    command = ["sh", str(_SCRIPT)]
    told = f"`{' '.join(command)}`"
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, timeout=INSTALL_DEADLINE)
    except subprocess.TimeoutExpired:
        raise NoServer(f"{told} took longer than {INSTALL_DEADLINE:g} s") from None
    if done.returncode:
        # Its own words went straight to the terminal.
        raise NoServer(f"{told} failed; see above")
    return done.stdout.strip()
