"""Get a server's programs onto this machine."""

import os
import shutil
import subprocess
import sys


class NoServer(Exception):
    """A server is needed, and there is no way to get it; the text says what to do."""


def ensure_installed(package: str, program: str, variable: str) -> None:
    """Return when the program is there; raises NoServer."""
    if shutil.which(program) is not None:
        return
    if os.geteuid() == 0 and shutil.which("apt-get") is not None:
        print(f"goatherd: installing {package}", file=sys.stderr)
        # A run level of 1 keeps the package from starting a server of its own on the usual port.
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", package]):
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise NoServer(f"{' '.join(command)} failed: {done.stderr[-1000:]}")
        return
    raise NoServer(
        f"{package} is needed and not installed. Install it, or set {variable} to the address of one that may be used "
        f"for tests, or run `make test-embedded`, which needs no servers."
    )
