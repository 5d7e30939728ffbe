"""Get a server's programs onto this machine."""

import os
import shutil
import subprocess
import sys

#: Seconds that one step of apt-get may take.
INSTALL_DEADLINE = 600.0


class NoServer(Exception):
    """A server is needed, and there is no way to get it; the text says what to do."""


def ensure_installed(package: str, program: str, path: str, variable: str) -> None:
    """Return when the program is in one of the folders of `path`; raises NoServer."""
    if shutil.which(program, path=path) is None:
        get_installed(package, variable)


def get_installed(package: str, variable: str) -> None:
    """Install a package, or several; raises NoServer."""
    if os.geteuid() == 0 and shutil.which("apt-get") is not None:
        _install(package, variable)
        return
    raise NoServer(f"{package} is needed and not installed. Install it{_other_ways(variable)}")


def _install(package: str, variable: str) -> None:
    print(f"goatherd: installing {package}, which takes a minute or two", file=sys.stderr)
    # A run level of 1 keeps the package from starting a server of its own on the usual port; settings that are there
    # already are kept without a question.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1", "UCF_FORCE_CONFFOLD": "1"}
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *package.split()]
    for command in (["apt-get", "update", "-qq"], install):
        told = f"`{' '.join(command)}`"
        try:
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False, timeout=INSTALL_DEADLINE
            )
        except subprocess.TimeoutExpired:
            raise NoServer(f"{told} took longer than {INSTALL_DEADLINE:g} s{_other_ways(variable)}") from None
        if done.returncode:
            words = (done.stderr or done.stdout).strip()[-1000:]
            raise NoServer(f"{told} failed:\n{words}\nInstall {package} by hand{_other_ways(variable)}")


def _other_ways(variable: str) -> str:
    return (
        f", or set {variable} to one that may be used for tests, or run `make test-embedded`, which needs no servers."
    )
